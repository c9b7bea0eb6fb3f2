import { sourceOfKept } from '../../../engine/output/kept/source.ts';
import type { StoredRun } from '../../../engine/run/record/store.ts';
import { endInputOfRun, sendToRun } from '../../../engine/run/supervise/input.ts';
import type { TerminalSize } from '../../../engine/run/supervise/terminal.ts';
import { signalRun } from '../../../engine/run/tree/kill.ts';
import { encodeKey, encodeText } from '../../../engine/terminal/keys/encode-key.ts';
import type { KeyModes } from '../../../engine/terminal/keys/key-modes.ts';
import { readKeyName, TERMINAL_KEY_NAMES } from '../../../engine/terminal/keys/read-key-name.ts';
import type { NacreError } from '../../../errors.ts';
import { badInput } from '../../input/check-input.ts';
import { replay, terminalOf } from '../../terminal/replay.ts';
import { type KeyEffect, toKeyEffect } from './keys.ts';

/** What is sent to a job, in this order. */
export interface SendOptions {
  /** As it is: a line needs its newline. */
  readonly text?: string;
  /** Keys by name: `enter`, `tab`, `up`, `ctrl-c`, … */
  readonly keys?: readonly string[];
  /** The end of its input, after everything else. */
  readonly end?: boolean;
}

/** Sends something to a job whose input was left open, whoever started it. */
export async function sendToJob(run: StoredRun, options: SendOptions): Promise<void> {
  const { text = '', keys = [], end = false } = options;
  const terminal = terminalOf(run.asked);
  if (terminal !== null) return typeAt(run, { text, keys, end, size: terminal });
  const effects = keys.map(requireKey);
  if (text !== '') await sendToRun(run, text);
  for (const effect of effects) await apply(run, effect);
  if (end && !effects.some(({ kind }) => kind === 'end')) await endInputOfRun(run);
}

interface Typing extends Required<SendOptions> {
  readonly size: TerminalSize;
}

/** Everything is typed, signals and the end of input too; how keys are sent depends on the program. */
async function typeAt(run: StoredRun, { text, keys, end, size }: Typing): Promise<void> {
  const modes = await readModes(run, size);
  const typed = keys.map((name, at) => {
    const key = readKeyName(name);
    if (key !== null) return encodeKey(key, modes);
    throw noKey(name, at);
  });
  await sendToRun(run, [encodeText(text, modes), ...typed, ...(end ? ['\x04'] : [])].join(''));
}

async function readModes(run: StoredRun, size: TerminalSize): Promise<KeyModes> {
  const { screen } = await replay(sourceOfKept({ directory: run.directory, stream: 'out' }), size);
  const { modes } = screen;
  screen.close();
  return modes;
}

function requireKey(name: string, at: number): KeyEffect {
  const effect = toKeyEffect(name);
  if (effect !== null) return effect;
  throw noKey(name, at);
}

function noKey(name: string, at: number): NacreError {
  const known = TERMINAL_KEY_NAMES.join(', ');
  return badInput(`keys[${at}]`, `there is no key ${JSON.stringify(name)}; there are ${known}`);
}

async function apply(run: StoredRun, effect: KeyEffect): Promise<void> {
  if (effect.kind === 'bytes') await sendToRun(run, effect.bytes);
  else if (effect.kind === 'signal') await signalRun(run, { signal: effect.signal });
  else await endInputOfRun(run);
}
