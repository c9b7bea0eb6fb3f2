import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from './app.ts';
import type { CallOrder } from './calls.ts';
import type { Layer } from './layer.ts';
import { readOrder, renderHelp } from './orders.ts';
import { TerminalOverlay } from './overlay/terminal-overlay.ts';
import { ArtifactsPanel } from './panels/artifacts-panel.ts';
import { renderTranscript } from './render-transcript.ts';

/** Does what a line asks for. Resolves when that is over. */
export async function carryOut(line: string, app: App): Promise<void> {
  if (line.trim() === '') return;
  const order = readOrder(line);
  if (order !== null) await ACTIONS[order.name]?.(order.rest, app);
  else if (line.startsWith('!')) await runAsPerson(line, app);
  else if (line.trimStart().startsWith('{')) await runJson(line, app);
  else await app.calls.perform({ by: 'tool', isPrivate: false, input: { command: line } });
}

type Action = (rest: string, app: App) => void | Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  '/pty': (rest, app) =>
    rest === '' ? app.say('/pty takes a command.', 'warn') : runOnTerminal({ command: rest }, app),
  '/jobs': (_, app) => app.openJobs(),
  '/artifacts': (_, app) => openArtifacts(app),
  '/open': (rest, app) => openOne(rest, app),
  '/explain': explain,
  '/save': save,
  '/clear': (_, app) => app.transcript.clear(),
  '/help': (_, app) => app.say(renderHelp()),
  '/quit': (_, app) => app.quit(),
};

async function runAsPerson(line: string, app: App): Promise<void> {
  const isPrivate = line.startsWith('!!');
  const command = line.slice(isPrivate ? 2 : 1).trim();
  if (command === '') return;
  await app.calls.perform({ by: 'person', isPrivate, input: { command, timeout: 0 } });
}

async function runJson(line: string, app: App): Promise<void> {
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    app.say(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`, 'bad');
    return;
  }
  if (input.pty === true && input.async !== true) return runOnTerminal(input, app);
  await app.calls.perform({ by: 'tool', isPrivate: false, input });
}

/** The command has a terminal of its own, over everything else, until it ends. */
async function runOnTerminal(input: Readonly<Record<string, unknown>>, app: App): Promise<void> {
  const { device } = app.options;
  let stop = (): void => undefined;
  const overlay: TerminalOverlay = new TerminalOverlay({
    command: String(input.command ?? ''),
    size: device.size,
    refresh: app.refresh,
    close: () => app.remove(overlay),
    stop: () => stop(),
  });
  const layer: Layer = overlay;
  app.push(layer);
  const order: CallOrder = {
    by: 'tool',
    isPrivate: false,
    input: { timeout: 0, ...input, pty: true },
    options: {
      terminal: { ...overlay.size, onStart: (terminal) => overlay.attach(terminal) },
      onBytes: (_, chunk) => overlay.write(chunk),
    },
  };
  const ended = app.calls.perform(order);
  const { newest } = app.calls;
  stop = () => {
    if (newest !== null) app.calls.stop(newest);
  };
  await ended;
  app.remove(layer);
}

function openArtifacts(app: App): void {
  const layer: Layer = new ArtifactsPanel({
    artifacts: app.options.artifacts,
    refresh: app.refresh,
    close: () => app.remove(layer),
    onOpen: (name) => app.open(name),
  });
  app.push(layer);
}

function openOne(rest: string, app: App): void {
  const name = rest === '' ? app.current()?.card.result?.run.artifact : rest;
  if (name) app.open(name);
  else app.say('There is no output to open yet.', 'warn');
}

async function explain(rest: string, app: App): Promise<void> {
  if (rest === '') {
    app.say('/explain takes a command.', 'warn');
    return;
  }
  const { verdict, message, parts } = await app.options.bash.explain(rest);
  const lines = [
    `${verdict}: ${rest}`,
    ...parts.map(({ text }) => `  ${text}`),
    ...(message === '' ? [] : [message]),
  ];
  app.say(lines.join('\n'), verdict === 'deny' ? 'bad' : 'accent');
}

function save(rest: string, app: App): void {
  if (rest === '') {
    app.say('/save takes a file.', 'warn');
    return;
  }
  const path = resolve(app.options.cwd(), rest);
  try {
    writeFileSync(path, renderTranscript(app.transcript), { flag: 'wx', mode: 0o600 });
    app.say(`Written to ${path}`);
  } catch (error) {
    app.say(`It could not be written: ${error instanceof Error ? error.message : String(error)}`, 'bad');
  }
}
