/** What our own terminal has said of itself. */
export type TerminalAnswer =
  | { readonly kind: 'keyboard' }
  | { readonly kind: 'ground'; readonly isLight: boolean };

/** Asks for the colour of the ground. */
export const ASK_GROUND = '\x1b]11;?\x1b\\';

/** Each colour is two or four digits; their first two say enough. */
const GROUND = /^\x1b\]11;rgba?:([\da-f]{2})[\da-f]*\/([\da-f]{2})[\da-f]*\/([\da-f]{2})/i;

export function readAnswer(sequence: string): TerminalAnswer | null {
  if (/^\x1b\[\?\d+u$/.test(sequence)) return { kind: 'keyboard' };
  const [, red, green, blue] = GROUND.exec(sequence) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return null;
  const [r, g, b] = [red, green, blue].map((part) => Number.parseInt(part, 16));
  // As bright as eyes have it: green most, blue least.
  return { kind: 'ground', isLight: 0.299 * (r ?? 0) + 0.587 * (g ?? 0) + 0.114 * (b ?? 0) > 128 };
}
