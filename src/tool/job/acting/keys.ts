import { encodeKey } from '../../../engine/terminal/keys/encode-key.ts';
import type { KeyModes } from '../../../engine/terminal/keys/key-modes.ts';
import { readKeyName } from '../../../engine/terminal/keys/read-key-name.ts';
import { HELD, type TerminalKey } from '../../../engine/terminal/keys/terminal-key.ts';
import { ownValue } from '../../../engine/text/own-value.ts';

/** What a key does to a command that has no terminal: bytes to read, a signal, or the end of its input. */
export type KeyEffect =
  | { readonly kind: 'bytes'; readonly bytes: string }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'end' };

/** A terminal would turn these, with ctrl, into signals; without one we do. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  c: 'SIGINT',
  '\\': 'SIGQUIT',
  z: 'SIGTSTP',
};

/** Nobody asked for anything else. */
const PLAIN: KeyModes = {
  applicationCursor: false,
  bracketedPaste: false,
  kitty: 0,
  modifyOtherKeys: 0,
};

/** `null` for a name that is none. Names are those of a terminal's keys. */
export function toKeyEffect(name: string): KeyEffect | null {
  const key = readKeyName(name);
  return key === null ? null : (toControl(key) ?? { kind: 'bytes', bytes: bytesOf(key) });
}

function toControl({ name, modifiers }: TerminalKey): KeyEffect | null {
  if (modifiers !== HELD.ctrl) return null;
  const signal = ownValue(SIGNALS, name);
  if (signal !== undefined) return { kind: 'signal', signal };
  return name === 'd' ? { kind: 'end' } : null;
}

/** A terminal sends a return, and its driver makes a newline of it; here there is no driver. */
function bytesOf(key: TerminalKey): string {
  return key.name === 'enter' && key.modifiers === 0 ? '\n' : encodeKey(key, PLAIN);
}
