import type { Atom, Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import type { Pattern } from '../words/pattern.ts';
import { matches, toPattern } from '../words/pattern.ts';

// Longer values are not cut into pieces: it costs the square of the length.
const MAX_LENGTH = 2_000;

/** `${x#pattern}`, `##`, `%`, `%%`. */
export function removeMatch(
  field: Field,
  { operator, pattern }: { operator: string; pattern: Field },
): Field {
  const compiled = toPattern(pattern);
  const text = literalOf(field);
  if (compiled === null) return UNKNOWN;
  if (text === null) return removeFromEnds(field, operator, compiled);
  if (text.length > MAX_LENGTH) return UNKNOWN;
  return toField(
    operator.startsWith('#')
      ? removePrefix(text, operator, compiled)
      : removeSuffix(text, operator, compiled),
  );
}

function removePrefix(text: string, operator: string, pattern: Pattern): string {
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (operator === '##') lengths.reverse();
  const length = lengths.find((end) => matches(pattern, text.slice(0, end)));
  return length === undefined ? text : text.slice(length);
}

function removeSuffix(text: string, operator: string, pattern: Pattern): string {
  const starts = Array.from({ length: text.length + 1 }, (_, index) => text.length - index);
  if (operator === '%%') starts.reverse();
  const start = starts.find((at) => matches(pattern, text.slice(at)));
  return start === undefined ? text : text.slice(0, start);
}

/** Where the middle is not known, the shortest match may still lie in the text at one end. */
function removeFromEnds(field: Field, operator: string, pattern: Pattern): Field {
  const [first] = field;
  const last = field.at(-1);
  if (operator === '%' && last?.kind === 'text') {
    const shorter = removeSuffix(last.text, operator, pattern);
    if (shorter !== last.text) return concat(field.slice(0, -1), toField(shorter));
  }
  if (operator === '#' && first?.kind === 'text') {
    const shorter = removePrefix(first.text, operator, pattern);
    if (shorter !== first.text) return concat(toField(shorter), field.slice(1));
  }
  // `${HOME%/*}` is the directory above.
  if (operator === '%' && last?.kind === 'place' && matches(pattern, '/x'))
    return concat(field, toField('/..'));
  return matches(pattern, '/') && operator.startsWith('%') ? field : UNKNOWN;
}

interface Replacement {
  readonly operator: string;
  readonly pattern: Field;
  readonly replacement: Field;
}

/** `${x/a/b}`, for patterns that are plain text or take single characters. */
export function replaceMatch(field: Field, { operator, pattern, replacement }: Replacement): Field {
  const text = literalOf(field);
  const what = literalOf(pattern);
  const by = literalOf(replacement);
  if (text === null || by === null) return UNKNOWN;
  if (what === null) return replacePattern(text, { operator, pattern, by });
  if (what === '') return field;
  if (operator === '/#') return toField(text.startsWith(what) ? by + text.slice(what.length) : text);
  if (operator === '/%') return toField(text.endsWith(what) ? text.slice(0, -what.length) + by : text);
  return toField(operator === '//' ? text.replaceAll(what, () => by) : text.replace(what, () => by));
}

interface PatternReplacement {
  readonly operator: string;
  readonly pattern: Field;
  readonly by: string;
}

function replacePattern(text: string, { operator, pattern, by }: PatternReplacement): Field {
  const compiled = toPattern(pattern);
  if (compiled === null || text.length > MAX_LENGTH || (operator.length > 1 && operator !== '//'))
    return UNKNOWN;
  let result = '';
  for (let at = 0; at < text.length; ) {
    const length = longestMatch(text, { at, pattern: compiled });
    if (length === 0) {
      result += text.charAt(at);
      at += 1;
      continue;
    }
    result += by;
    at += length;
    if (operator === '/') return toField(result + text.slice(at));
  }
  return toField(result);
}

function longestMatch(text: string, { at, pattern }: { at: number; pattern: Pattern }): number {
  const single = !pattern.includes('star');
  if (single) return matches(pattern, text.slice(at, at + pattern.length)) ? pattern.length : 0;
  for (let end = text.length; end > at; end -= 1) if (matches(pattern, text.slice(at, end))) return end - at;
  return 0;
}

interface Bounds {
  readonly offset: number | null;
  readonly length: number | null | undefined;
}

/** `${x:1:2}`; the start of a path is a slash even where the rest is not known. */
export function sliceText(field: Field, { offset, length }: Bounds): Field {
  const text = literalOf(field);
  if (offset === null || length === null) return UNKNOWN;
  if (text === null) return sliceHead(field, { offset, length });
  const start = Math.max(0, offset < 0 ? text.length + offset : offset);
  if (length === undefined) return toField(text.slice(start));
  return toField(length < 0 ? text.slice(start, length) : text.slice(start, start + length));
}

function sliceHead(field: Field, { offset, length }: Bounds): Field {
  const [first, ...rest] = field;
  const start = offset ?? -1;
  const head = knownHead(first);
  if (start === 0 && length === undefined) return field;
  if (start < 0 || start > head.length) return UNKNOWN;
  if (length === undefined)
    return first?.kind === 'text' ? concat(toField(head.slice(start)), rest) : UNKNOWN;
  const end = start + (length ?? -1);
  return end >= start && end <= head.length ? toField(head.slice(start, end)) : UNKNOWN;
}

function knownHead(first: Atom | undefined): string {
  if (first?.kind === 'text') return first.text;
  return first?.kind === 'place' && first.place !== 'user' ? '/' : '';
}

/** `${x^^}`, `${x,,}`, `${x^}`, `${x,}`. */
export function changeLetters(field: Field, operator: string): Field {
  const text = literalOf(field);
  if (text === null) return field;
  const change = (part: string): string =>
    operator.startsWith('^') ? part.toUpperCase() : part.toLowerCase();
  return toField(operator.length === 2 ? change(text) : change(text.charAt(0)) + text.slice(1));
}
