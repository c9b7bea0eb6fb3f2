import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallOrder } from '../cards/calls.ts';
import type { Desk } from '../desk.ts';
import type { Layer } from '../layer.ts';
import { TerminalOverlay } from '../overlay/terminal-overlay.ts';
import { ArtifactsPanel } from '../panels/artifacts-panel.ts';
import { HelpPanel } from '../panels/help-panel.ts';
import { readOrder } from './orders.ts';
import { renderTranscript } from './render-transcript.ts';

/** Does what a line asks for. Resolves when that is over. */
export async function carryOut(line: string, desk: Desk): Promise<void> {
  if (line.trim() === '') return;
  const order = readOrder(line);
  if (order !== null) await ACTIONS[order.name]?.(order.rest, desk);
  else if (line.startsWith('!')) await runAsPerson(line, desk);
  else if (line.trimStart().startsWith('{')) await runJson(line, desk);
  else await desk.calls.perform({ by: 'tool', isPrivate: false, input: { command: line } });
}

type Action = (rest: string, desk: Desk) => void | Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  '/pty': (rest, desk) =>
    rest === '' ? desk.say('/pty takes a command.', 'warn') : runOnTerminal({ command: rest }, desk),
  '/jobs': (_, desk) => desk.openJobs(),
  '/artifacts': (_, desk) => openArtifacts(desk),
  '/open': (rest, desk) => openOne(rest, desk),
  '/explain': explain,
  '/save': save,
  '/clear': (_, desk) => desk.transcript.clear(),
  '/help': (_, desk) => openHelp(desk),
  '/quit': (_, desk) => desk.quit(),
};

async function runAsPerson(line: string, desk: Desk): Promise<void> {
  const isPrivate = line.startsWith('!!');
  const command = line.slice(isPrivate ? 2 : 1).trim();
  if (command === '') return;
  await desk.calls.perform({ by: 'person', isPrivate, input: { command, timeout: 0 } });
}

async function runJson(line: string, desk: Desk): Promise<void> {
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    desk.say(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`, 'bad');
    return;
  }
  if (input.pty === true && input.async !== true) return runOnTerminal(input, desk);
  await desk.calls.perform({ by: 'tool', isPrivate: false, input });
}

/** The command has a terminal of its own, over everything else, until it ends. */
async function runOnTerminal(input: Readonly<Record<string, unknown>>, desk: Desk): Promise<void> {
  const { device } = desk.options;
  let stop = (): void => undefined;
  const overlay: TerminalOverlay = new TerminalOverlay({
    command: String(input.command ?? ''),
    size: device.size,
    refresh: desk.refresh,
    close: () => desk.remove(overlay),
    stop: () => stop(),
  });
  const layer: Layer = overlay;
  desk.push(layer);
  const order: CallOrder = {
    by: 'tool',
    isPrivate: false,
    input: { timeout: 0, ...input, pty: true },
    options: {
      terminal: { ...overlay.size, onStart: (terminal) => overlay.attach(terminal) },
      onBytes: (_, chunk) => overlay.write(chunk),
    },
  };
  const ended = desk.calls.perform(order);
  const { newest } = desk.calls;
  stop = () => {
    if (newest !== null) desk.calls.stop(newest);
  };
  await ended;
  desk.remove(layer);
}

function openArtifacts(desk: Desk): void {
  const layer: Layer = new ArtifactsPanel({
    artifacts: desk.options.artifacts,
    refresh: desk.refresh,
    close: () => desk.remove(layer),
    onOpen: (name) => desk.open(name),
  });
  desk.push(layer);
}

function openHelp(desk: Desk): void {
  const layer: Layer = new HelpPanel({ refresh: desk.refresh, close: () => desk.remove(layer) });
  desk.push(layer);
}

function openOne(rest: string, desk: Desk): void {
  const name = rest === '' ? desk.current()?.card.result?.run.artifact : rest;
  if (name) desk.open(name);
  else desk.say('There is no output to open yet.', 'warn');
}

const VERDICTS = { allow: 'may run', ask: 'asks you first', deny: 'may not run' } as const;
const TONES = { allow: 'accent', ask: 'warn', deny: 'bad' } as const;

async function explain(rest: string, desk: Desk): Promise<void> {
  if (rest === '') {
    desk.say('/explain takes a command.', 'warn');
    return;
  }
  const { verdict, message, parts } = await desk.options.bash.explain(rest);
  desk.say(`${VERDICTS[verdict]}: ${rest}`, TONES[verdict]);
  const list = parts.length > 1 ? parts.map(({ text }) => `· ${text}`) : [];
  const more = [...list, ...(message === '' ? [] : [message])];
  if (more.length > 0) desk.say(more.join('\n'));
}

function save(rest: string, desk: Desk): void {
  if (rest === '') {
    desk.say('/save takes a file.', 'warn');
    return;
  }
  const path = resolve(desk.options.cwd(), rest);
  try {
    writeFileSync(path, renderTranscript(desk.transcript), { flag: 'wx', mode: 0o600 });
    desk.say(`Written to ${path}`);
  } catch (error) {
    desk.say(`It could not be written: ${error instanceof Error ? error.message : String(error)}`, 'bad');
  }
}
