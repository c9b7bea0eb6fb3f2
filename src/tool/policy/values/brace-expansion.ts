// Limits the input because the scan for unclosed braces takes quadratic time.
const MAX_LENGTH = 8_192;

/**
 * Performs bash brace expansion on the text of a word, respecting quotes and `$…` expansions. Returns `null`
 * when the result would exceed `limit` words.
 */
export function expandBraces(text: string, limit: number): readonly string[] | null {
  if (text.length > MAX_LENGTH) return null;
  const open = findBrace(text);
  if (open === null) return [text];
  const { start, end, commas } = open;
  const inner = text.slice(start + 1, end);
  const alternatives = commas.length > 0 ? expandList(text, open, limit) : expandRange(inner, limit);
  const tails = expandBraces(text.slice(end + 1), limit);
  if (alternatives === null || tails === null || alternatives.length * tails.length > limit) return null;
  const head = text.slice(0, start);
  return alternatives.flatMap((middle) => tails.map((tail) => head + middle + tail));
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly commas: readonly number[];
}

function expandList(text: string, { start, end, commas }: Brace, limit: number): readonly string[] | null {
  const bounds = [start, ...commas, end];
  const words: string[] = [];
  for (let index = 1; index < bounds.length; index += 1) {
    const piece = text.slice((bounds[index - 1] ?? 0) + 1, bounds[index]);
    const expanded = expandBraces(piece, limit);
    if (expanded === null || words.length + expanded.length > limit) return null;
    words.push(...expanded);
  }
  return words;
}

const RANGE = /^(?:(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d+))?$/;

function expandRange(inner: string, limit: number): readonly string[] | null {
  const match = RANGE.exec(inner);
  if (match === null) return [`{${inner}}`];
  const [, from = '', to = '', first = '', last = '', by = '1'] = match;
  const numeric = from !== '';
  const a = numeric ? Number(from) : first.charCodeAt(0);
  const b = numeric ? Number(to) : last.charCodeAt(0);
  const step = Math.abs(Number(by)) || 1;
  const count = Math.floor(Math.abs(b - a) / step) + 1;
  if (count > limit) return null;
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = a + (b >= a ? 1 : -1) * step * index;
    return numeric ? String(value).padStart(width, '0') : String.fromCharCode(value);
  });
}

const DEPTH: Readonly<Record<string, number>> = { '{': 1, '}': -1 };

/** Finds the first brace pair that contains a top-level comma or a range. */
function findBrace(text: string): Brace | null {
  for (let at = 0; at < text.length; at = skipElement(text, at)) {
    if (text[at] !== '{' || text[at - 1] === '$') continue;
    const brace = closeBrace(text, at);
    if (brace !== null) return brace;
  }
  return null;
}

function closeBrace(text: string, start: number): Brace | null {
  let depth = 0;
  const commas: number[] = [];
  for (let at = start; at < text.length; at = skipElement(text, at)) {
    depth += DEPTH[text.charAt(at)] ?? 0;
    if (text[at] === ',' && depth === 1) commas.push(at);
    if (depth > 0) continue;
    const isBrace = commas.length > 0 || RANGE.test(text.slice(start + 1, at));
    return isBrace ? { start, end: at, commas } : null;
  }
  return null;
}

/** Returns the position after the character, quoted string or expansion at `at`. */
function skipElement(text: string, at: number): number {
  const char = text[at];
  if (char === '\\') return at + 2;
  if (char === "'") return positionAfter(text.indexOf("'", at + 1), text);
  if (char === '"' || char === '`') return closingQuote(text, at, char);
  if (char === '$' && text[at + 1] === '{') return findMatchingEnd(text, at + 1, '{}');
  if (char === '$' && text[at + 1] === '(') return findMatchingEnd(text, at + 1, '()');
  return at + 1;
}

function positionAfter(index: number, text: string): number {
  return index < 0 ? text.length : index + 1;
}

function closingQuote(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at += text[at] === '\\' ? 2 : 1)
    if (text[at] === quote) return at + 1;
  return text.length;
}

function findMatchingEnd(text: string, start: number, pair: string): number {
  let depth = 0;
  for (let at = start; at < text.length; at += text[at] === '\\' ? 2 : 1) {
    if (text[at] === pair[0]) depth += 1;
    if (text[at] === pair[1]) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
