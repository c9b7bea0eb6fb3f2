import type { Field } from './atom.ts';
import { fieldKey, OVERFLOW, toField } from './atom.ts';
import { concat } from './join.ts';
import { linesOf } from './lines.ts';

/** How many texts are told apart. */
const MAX_TEXTS = 8;
/** A text of more pieces than this is known to nobody. */
const MAX_ATOMS = 4_096;

/** Different texts, in order. Too many become one that has each of their lines once: all that could be run is still in it. */
export function uniteTexts(texts: readonly Field[]): readonly Field[] {
  if (texts.length < 2) return texts.map(keepShort);
  const byKey = new Map(texts.map((text) => [fieldKey(text), text]));
  if (byKey.size <= MAX_TEXTS) return [...byKey.values()].map(keepShort);
  const lines = new Map<string, Field>();
  for (const text of byKey.values()) for (const line of linesOf(text)) lines.set(fieldKey(line), line);
  return [keepShort(concat(...[...lines.values()].flatMap((line) => [line, toField('\n')])))];
}

/** The same for files, where one text may begin as another does: the longer one holds both. */
export function uniteFiles(texts: readonly Field[]): readonly Field[] {
  if (texts.length < 2) return texts.map(keepShort);
  const byKey = [...new Map(texts.map((text) => [fieldKey(text), text]))];
  const longest = byKey.filter(([key]) => !byKey.some(([other]) => other !== key && other.startsWith(key)));
  return uniteTexts(longest.map(([, text]) => text));
}

function keepShort(text: Field): Field {
  return text.length > MAX_ATOMS ? OVERFLOW : text;
}
