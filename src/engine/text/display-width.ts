import { once } from './once.ts';

/** Nothing but printable ASCII: one column each, and by far the most of what is drawn. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Accents, joiners, variation marks, the later parts of a Korean syllable: drawn over what is before them. */
const MARKS = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;

/** Characters of Chinese, Japanese and Korean, full-width forms, and emoji that are drawn as pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** Its rules take longer to load than most programs take to start; plain text needs none. */
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** How many columns a text takes on a terminal. Control characters must be gone from it. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of segmenter().segment(text)) columns += characterWidth(segment);
  return columns;
}

/** Of one character, with all that is drawn over it. */
export function characterWidth(character: string): 0 | 1 | 2 {
  if (MARKS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
