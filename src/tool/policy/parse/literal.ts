import type { Word, WordPart } from 'unbash';

/** How a word that bash takes as it is was written. */
export type Quoting = 'bare' | 'single' | 'double';

/** A word whose value does not depend on anything but its own text. */
export interface LiteralWord {
  readonly value: string;
  /** `undefined` when several kinds of quoting meet in one word. */
  readonly quoting: Quoting | undefined;
}

/**
 * The value of a word without expansions, globs and braces, or `null`.
 * A tilde counts as literal text here: who cares about it looks at `word.text`.
 */
export function literalWord(word: Word): LiteralWord | null {
  const { parts } = word;
  if (parts === undefined) return { value: word.value, quoting: 'bare' };
  if (!parts.every(isLiteral)) return null;
  const [only] = parts;
  return { value: word.value, quoting: parts.length === 1 && only ? quotingOf(only) : undefined };
}

function isLiteral(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every((child) => child.type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}

function quotingOf(part: WordPart): Quoting | undefined {
  if (part.type === 'SingleQuoted') return 'single';
  if (part.type === 'DoubleQuoted') return 'double';
  return part.type === 'Literal' ? 'bare' : undefined;
}
