import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConsoleCall } from './call-runner.ts';
import type { ConsoleContext } from './console-context.ts';
import { parseSlashCommand } from './prompt/slash-commands.ts';
import { ArtifactsPanel } from './views/artifacts-panel.ts';
import { HelpPanel } from './views/help-panel.ts';
import type { Panel } from './views/panel.ts';
import { TerminalOverlay } from './views/terminal-overlay.ts';
import { renderTranscript } from './views/transcript.ts';

/** Runs an input line. Resolves when it has completed. */
export async function runInputLine(line: string, desk: ConsoleContext): Promise<void> {
  if (line.trim() === '') return;
  const order = parseSlashCommand(line);
  if (order !== null) await SLASH_ACTIONS[order.name]?.(order.rest, desk);
  else if (line.startsWith('!')) await runAsPerson(line, desk);
  else if (line.trimStart().startsWith('{')) await runJson(line, desk);
  else await desk.calls.run({ by: 'tool', isPrivate: false, input: { command: line } });
}

type SlashAction = (rest: string, desk: ConsoleContext) => void | Promise<void>;

const SLASH_ACTIONS: Readonly<Record<string, SlashAction>> = {
  '/pty': (rest, desk) =>
    rest === '' ? desk.addNote('/pty takes a command.', 'warn') : runOnTerminal({ command: rest }, desk),
  '/jobs': (_, desk) => desk.openJobs(),
  '/artifacts': (_, desk) => openArtifactsPanel(desk),
  '/open': (rest, desk) => openOutput(rest, desk),
  '/explain': explainCommand,
  '/save': saveTranscript,
  '/clear': (_, desk) => desk.transcript.clear(),
  '/help': (_, desk) => openHelpPanel(desk),
  '/quit': (_, desk) => desk.quit(),
};

async function runAsPerson(line: string, desk: ConsoleContext): Promise<void> {
  const isPrivate = line.startsWith('!!');
  const command = line.slice(isPrivate ? 2 : 1).trim();
  if (command === '') return;
  await desk.calls.run({ by: 'person', isPrivate, input: { command, timeout: 0 } });
}

async function runJson(line: string, desk: ConsoleContext): Promise<void> {
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    desk.addNote(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`, 'bad');
    return;
  }
  if (input.pty === true && input.async !== true) return runOnTerminal(input, desk);
  await desk.calls.run({ by: 'tool', isPrivate: false, input });
}

/** Runs the command on its own terminal in an overlay. */
async function runOnTerminal(input: Readonly<Record<string, unknown>>, desk: ConsoleContext): Promise<void> {
  const { device } = desk.options;
  let stop = (): void => undefined;
  const overlay: TerminalOverlay = new TerminalOverlay({
    command: String(input.command ?? ''),
    size: device.size,
    refresh: desk.refresh,
    close: () => desk.removePanel(overlay),
    stop: () => stop(),
  });
  const layer: Panel = overlay;
  desk.pushPanel(layer);
  const order: ConsoleCall = {
    by: 'tool',
    isPrivate: false,
    input: { timeout: 0, ...input, pty: true },
    options: {
      terminal: { ...overlay.size, onStart: (terminal) => overlay.attach(terminal) },
      onBytes: (_, chunk) => overlay.write(chunk),
    },
  };
  const ended = desk.calls.run(order);
  const { newestRunning } = desk.calls;
  stop = () => {
    if (newestRunning !== null) desk.calls.stop(newestRunning);
  };
  await ended;
  desk.removePanel(layer);
}

function openArtifactsPanel(desk: ConsoleContext): void {
  const layer: Panel = new ArtifactsPanel({
    artifacts: desk.options.artifacts,
    refresh: desk.refresh,
    close: () => desk.removePanel(layer),
    onOpen: (name) => desk.openArtifact(name),
  });
  desk.pushPanel(layer);
}

function openHelpPanel(desk: ConsoleContext): void {
  const layer: Panel = new HelpPanel({ refresh: desk.refresh, close: () => desk.removePanel(layer) });
  desk.pushPanel(layer);
}

function openOutput(rest: string, desk: ConsoleContext): void {
  const name = rest === '' ? desk.currentCall()?.card.result?.run.artifact : rest;
  if (name) desk.openArtifact(name);
  else desk.addNote('There is no output to open yet.', 'warn');
}

const VERDICTS = { allow: 'may run', ask: 'asks you first', deny: 'may not run' } as const;
const TONES = { allow: 'accent', ask: 'warn', deny: 'bad' } as const;

async function explainCommand(rest: string, desk: ConsoleContext): Promise<void> {
  if (rest === '') {
    desk.addNote('/explain takes a command.', 'warn');
    return;
  }
  const { verdict, message, parts } = await desk.options.bash.explain(rest);
  desk.addNote(`${VERDICTS[verdict]}: ${rest}`, TONES[verdict]);
  const list = parts.length > 1 ? parts.map(({ text }) => `· ${text}`) : [];
  const more = [...list, ...(message === '' ? [] : [message])];
  if (more.length > 0) desk.addNote(more.join('\n'));
}

function saveTranscript(rest: string, desk: ConsoleContext): void {
  if (rest === '') {
    desk.addNote('/save takes a file.', 'warn');
    return;
  }
  const path = resolve(desk.options.cwd(), rest);
  try {
    writeFileSync(path, renderTranscript(desk.transcript), { flag: 'wx', mode: 0o600 });
    desk.addNote(`Written to ${path}`);
  } catch (error) {
    desk.addNote(`It could not be written: ${error instanceof Error ? error.message : String(error)}`, 'bad');
  }
}
