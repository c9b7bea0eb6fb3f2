import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConsoleCall } from './call-runner.ts';
import type { ConsoleContext } from './console-context.ts';
import { parseSlashCommand } from './prompt/slash-commands.ts';
import { ArtifactsPanel } from './views/artifacts-panel.ts';
import { HelpPanel } from './views/help-panel.ts';
import { TerminalOverlay } from './views/terminal-overlay.ts';
import { renderTranscript } from './views/transcript.ts';

/** Runs an input line. Resolves when it has completed. */
export async function runInputLine(line: string, app: ConsoleContext): Promise<void> {
  if (line.trim() === '') return;
  const slash = parseSlashCommand(line);
  if (slash !== null) await SLASH_ACTIONS[slash.name]?.(slash.rest, app);
  else if (line.startsWith('!')) await runAsPerson(line, app);
  else if (line.trimStart().startsWith('{')) await runJson(line, app);
  else await app.calls.run({ by: 'tool', isPrivate: false, input: { command: line } });
}

type SlashAction = (rest: string, app: ConsoleContext) => void | Promise<void>;

const SLASH_ACTIONS: Readonly<Record<string, SlashAction>> = {
  '/pty': (rest, app) =>
    rest === '' ? app.addNote('/pty takes a command.', 'warn') : runOnTerminal({ command: rest }, app),
  '/jobs': (_, app) => app.openJobs(),
  '/artifacts': (_, app) => openArtifactsPanel(app),
  '/open': (rest, app) => openOutput(rest, app),
  '/explain': explainCommand,
  '/save': saveTranscript,
  '/clear': (_, app) => app.transcript.clear(),
  '/help': (_, app) => openHelpPanel(app),
  '/quit': (_, app) => app.quit(),
};

async function runAsPerson(line: string, app: ConsoleContext): Promise<void> {
  const isPrivate = line.startsWith('!!');
  const command = line.slice(isPrivate ? 2 : 1).trim();
  if (command === '') return;
  await app.calls.run({ by: 'person', isPrivate, input: { command, timeout: 0 } });
}

async function runJson(line: string, app: ConsoleContext): Promise<void> {
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    app.addNote(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`, 'bad');
    return;
  }
  if (input.pty === true && input.async !== true) return runOnTerminal(input, app);
  await app.calls.run({ by: 'tool', isPrivate: false, input });
}

/** Runs the command on its own terminal in an overlay. */
async function runOnTerminal(input: Readonly<Record<string, unknown>>, app: ConsoleContext): Promise<void> {
  let stop = (): void => undefined;
  let close = (): void => undefined;
  const overlay = app.terminal.open((host) => {
    close = host.close;
    return new TerminalOverlay({
      ...host,
      command: String(input.command ?? ''),
      size: app.terminal.size,
      stop: () => stop(),
    });
  });
  const call: ConsoleCall = {
    by: 'tool',
    isPrivate: false,
    input: { timeout: 0, ...input, pty: true },
    options: {
      terminal: { ...overlay.size, onStart: (terminal) => overlay.attach(terminal) },
      onBytes: (_, chunk) => overlay.write(chunk),
    },
  };
  const ended = app.calls.run(call);
  const { newestRunning } = app.calls;
  stop = () => {
    if (newestRunning !== null) app.calls.stop(newestRunning);
  };
  await ended;
  close();
}

function openArtifactsPanel(app: ConsoleContext): void {
  const { artifacts } = app.options;
  const onOpen = (name: string): void => app.openArtifact(name);
  app.terminal.open((host) => new ArtifactsPanel({ ...host, artifacts, onOpen }));
}

function openHelpPanel(app: ConsoleContext): void {
  app.terminal.open((host) => new HelpPanel(host));
}

function openOutput(rest: string, app: ConsoleContext): void {
  const name = rest === '' ? app.currentCall()?.card.result?.run.artifact : rest;
  if (name) app.openArtifact(name);
  else app.addNote('No output to open yet.', 'warn');
}

const VERDICTS = { allow: 'allowed', ask: 'needs approval', deny: 'denied' } as const;
const TONES = { allow: 'accent', ask: 'warn', deny: 'bad' } as const;

async function explainCommand(rest: string, app: ConsoleContext): Promise<void> {
  if (rest === '') {
    app.addNote('/explain takes a command.', 'warn');
    return;
  }
  const { verdict, message, parts } = await app.options.bash.explain(rest);
  app.addNote(`${VERDICTS[verdict]}: ${rest}`, TONES[verdict]);
  const list = parts.length > 1 ? parts.map(({ text }) => `· ${text}`) : [];
  const more = [...list, ...(message === '' ? [] : [message])];
  if (more.length > 0) app.addNote(more.join('\n'));
}

function saveTranscript(rest: string, app: ConsoleContext): void {
  if (rest === '') {
    app.addNote('/save takes a file.', 'warn');
    return;
  }
  const path = resolve(app.options.cwd(), rest);
  try {
    writeFileSync(path, renderTranscript(app.transcript), { flag: 'wx', mode: 0o600 });
    app.addNote(`Written to ${path}`);
  } catch (error) {
    app.addNote(
      `The transcript could not be written: ${error instanceof Error ? error.message : String(error)}`,
      'bad',
    );
  }
}
