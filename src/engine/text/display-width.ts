import { once } from './once.ts';

/** Printable ASCII: one column each. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Accents, joiners, variation selectors and later parts of a Korean syllable: drawn over the character before
 * them.
 */
const MARKS = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;

/** Chinese, Japanese and Korean characters, full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** Created on first use, because loading its rules is slow and plain text needs none. */
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** Number of columns a text takes on a terminal. The text must not contain control characters. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of segmenter().segment(text)) columns += characterWidth(segment);
  return columns;
}

/** Number of columns of one character with its combining marks. */
export function characterWidth(character: string): 0 | 1 | 2 {
  if (MARKS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
