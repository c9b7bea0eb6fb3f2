import { rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import { endInputOfRun, sendInputToRun } from '../../engine/run/run-input.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import type { TerminalSize } from '../../engine/run/run-terminal.ts';
import { signalRun } from '../../engine/run/stop-run.ts';
import { encodeKey, encodeText } from '../../engine/terminal/encode-key.ts';
import type { KeyModes } from '../../engine/terminal/key-modes.ts';
import {
  MODIFIERS,
  parseKeyName,
  TERMINAL_KEY_NAMES,
  type TerminalKey,
} from '../../engine/terminal/terminal-key.ts';
import { ownProperty } from '../../engine/text/own-property.ts';
import type { NacreError } from '../../errors.ts';
import { badInputError } from '../contract/input-schema.ts';
import { replayScreen, terminalSizeOf } from './terminal-screen.ts';

/** Input for a job, sent in this order. */
export interface SendOptions {
  /** Sent unchanged: a line needs its newline. */
  readonly text?: string | undefined;
  /** Key names: `enter`, `tab`, `up`, `ctrl-c`, … */
  readonly keys?: readonly string[] | undefined;
  /** Close the input after everything else. */
  readonly end?: boolean | undefined;
}

/** Sends input to a job whose input is open. */
export async function sendToJob(run: StoredRun, options: SendOptions): Promise<void> {
  const { text = '', keys = [], end = false } = options;
  const terminal = terminalSizeOf(run.asked);
  if (terminal !== null) return typeIntoTerminal(run, { text, keys, end, size: terminal });
  const effects = keys.map(parseKeyEffect);
  if (text !== '') await sendInputToRun(run, text);
  for (const effect of effects) await applyKeyEffect(run, effect);
  if (end && !effects.some(({ kind }) => kind === 'end')) await endInputOfRun(run);
}

interface TerminalInput {
  readonly text: string;
  readonly keys: readonly string[];
  readonly end: boolean;
  readonly size: TerminalSize;
}

/**
 * A terminal gets signals and the end of input as keys; the encoding of keys depends on the modes the program
 * has set.
 */
async function typeIntoTerminal(run: StoredRun, { text, keys, end, size }: TerminalInput): Promise<void> {
  const modes = await readKeyModes(run, size);
  const typed = keys.map((name, at) => {
    const key = parseKeyName(name);
    if (key !== null) return encodeKey(key, modes);
    throw unknownKeyError(name, at);
  });
  await sendInputToRun(run, [encodeText(text, modes), ...typed, ...(end ? ['\x04'] : [])].join(''));
}

async function readKeyModes(run: StoredRun, size: TerminalSize): Promise<KeyModes> {
  const { screen } = await replayScreen(
    rawOutputFromFiles({ directory: run.directory, stream: 'out' }),
    size,
  );
  const { modes } = screen;
  screen.close();
  return modes;
}

function parseKeyEffect(name: string, at: number): KeyEffect {
  const effect = toKeyEffect(name);
  if (effect !== null) return effect;
  throw unknownKeyError(name, at);
}

function unknownKeyError(name: string, at: number): NacreError {
  const known = TERMINAL_KEY_NAMES.join(', ');
  return badInputError(`keys[${at}]`, `unknown key ${JSON.stringify(name)}; known keys: ${known}`);
}

async function applyKeyEffect(run: StoredRun, effect: KeyEffect): Promise<void> {
  if (effect.kind === 'bytes') await sendInputToRun(run, effect.bytes);
  else if (effect.kind === 'signal') await signalRun(run, { signal: effect.signal });
  else await endInputOfRun(run);
}

/** Effect of a key on a command without a terminal: bytes, a signal, or the end of its input. */
type KeyEffect =
  | { readonly kind: 'bytes'; readonly bytes: string }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'end' };

/** A terminal driver would turn these ctrl keys into signals. */
const CTRL_KEY_SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  c: 'SIGINT',
  '\\': 'SIGQUIT',
  z: 'SIGTSTP',
};

const PLAIN_KEY_MODES: KeyModes = {
  applicationCursor: false,
  bracketedPaste: false,
  kitty: 0,
  modifyOtherKeys: 0,
};

/** Converts a key name to its effect on a command without a terminal; `null` for an unknown name. */
export function toKeyEffect(name: string): KeyEffect | null {
  const key = parseKeyName(name);
  return key === null ? null : (toCtrlKeyEffect(key) ?? { kind: 'bytes', bytes: toKeyBytes(key) });
}

function toCtrlKeyEffect({ name, modifiers }: TerminalKey): KeyEffect | null {
  if (modifiers !== MODIFIERS.ctrl) return null;
  const signal = ownProperty(CTRL_KEY_SIGNALS, name);
  if (signal !== undefined) return { kind: 'signal', signal };
  return name === 'd' ? { kind: 'end' } : null;
}

/** A terminal driver would turn a carriage return into a newline. */
function toKeyBytes(key: TerminalKey): string {
  return key.name === 'enter' && key.modifiers === 0 ? '\n' : encodeKey(key, PLAIN_KEY_MODES);
}
