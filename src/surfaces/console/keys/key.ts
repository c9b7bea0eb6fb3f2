import { readKey } from '../../../index.ts';

/** One thing a person did at the keyboard. */
export interface Key {
  /** `enter`, `up`, `ctrl-c`, `alt-b`, …; `text` for what is typed, `paste` for what was pasted, `release` for a key that is let go. */
  readonly name: string;
  /** What was typed or pasted; empty for the others. */
  readonly text: string;
  /** As it came. */
  readonly raw: string;
}

/** In the order they are named in. */
const HELD = [
  ['super', 8],
  ['ctrl', 4],
  ['alt', 2],
  ['shift', 1],
] as const;

/** The key of a sequence or a control character; `null` for an answer of the terminal or something unknown. */
export function toKey(raw: string): Key | null {
  const key = readKey(raw);
  if (key === null) return null;
  // What some terminals send for backspace, and others for it with ctrl.
  if (raw === '\b') return { name: 'backspace', text: '', raw };
  if (key.event === 'release') return { name: 'release', text: '', raw };
  const held = HELD.filter(([, bit]) => (key.modifiers & bit) !== 0).map(([name]) => name);
  if (raw.length > 1 && isTyped(key.text, held)) return { name: 'text', text: key.text, raw };
  const name = [...held, key.name].join('-');
  return { name: SAME[name] ?? name, text: '', raw };
}

/** A terminal that sends even letters as sequences says what they write. */
function isTyped(text: string, held: readonly string[]): boolean {
  return text !== '' && held.every((name) => name === 'shift');
}

/** Keys that are another one to a person at a prompt. */
const SAME: Readonly<Record<string, string>> = {
  'ctrl-j': 'enter',
  'ctrl-backspace': 'ctrl-w',
  'shift-space': 'space',
  'shift-backspace': 'backspace',
  'shift-enter': 'alt-enter',
};
