/**
 * Range of the second byte where it is narrower than 80 to BF (overlong forms, surrogates, beyond U+10FFFF).
 */
const SECOND_BYTE_RANGE: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** Number of bytes at the end that begin an incomplete character: 0 to 3. */
export function incompleteUtf8Bytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const lead = bytes[bytes.length - back] ?? 0;
    if (isContinuation(lead)) continue;
    return sequenceLength(lead) > back && secondFits(lead, bytes[bytes.length - back + 1]) ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}

function secondFits(lead: number, second: number | undefined): boolean {
  if (second === undefined) return true;
  const [low, high] = SECOND_BYTE_RANGE[lead] ?? [0x80, 0xbf];
  return second >= low && second <= high;
}

/** The longest prefix of a text within a number of UTF-8 bytes; characters are not split. */
export function utf8Prefix(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  if (maxBytes <= 0) return '';
  const bytes = Buffer.from(text.slice(0, maxBytes + 1));
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** The longest suffix of a text within a number of UTF-8 bytes; characters are not split. */
export function utf8Suffix(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  if (maxBytes <= 0) return '';
  const bytes = Buffer.from(text.slice(-maxBytes - 1));
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.toString('utf8', start);
}

/** Number of bytes at the start that continue a character from before: 0 to 3. */
export function leadingContinuationBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[count])) count += 1;
  return count;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Number of code points in a text. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if (isLowSurrogate(text.charCodeAt(index))) count -= 1;
  }
  return count;
}

/** The nearest index at or before `index` that does not split a surrogate pair. */
export function codePointBoundaryBefore(text: string, index: number): number {
  return splitsPair(text, index) ? index - 1 : index;
}

/** The nearest index at or after `index` that does not split a surrogate pair. */
export function codePointBoundaryAfter(text: string, index: number): number {
  return splitsPair(text, index) ? index + 1 : index;
}

function splitsPair(text: string, index: number): boolean {
  return index > 0 && index < text.length && isLowSurrogate(text.charCodeAt(index));
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The byte that ends a line. */
export const NEWLINE = 10;
const BATCH = 64;
/**
 * If lines are shorter than this on average, comparing four bytes at a time is faster than a search per line.
 */
const DENSE_BYTES = 32;

/** Number of newlines in a buffer. It runs on every byte a command prints. */
export function countNewlines(bytes: Buffer): number {
  let count = 0;
  let from = 0;
  for (;;) {
    const stop = from + BATCH * DENSE_BYTES;
    for (let found = 0; found < BATCH; found += 1) {
      const at = bytes.indexOf(NEWLINE, from);
      if (at === -1) return count;
      count += 1;
      from = at + 1;
    }
    if (from < stop) return count + countDense(bytes, from);
  }
}

function countDense(bytes: Buffer, from: number): number {
  const aligned = from + ((4 - ((bytes.byteOffset + from) & 3)) & 3);
  if (aligned >= bytes.length) return countSingly(bytes, from, bytes.length);
  const length = (bytes.length - aligned) >>> 2;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + aligned, length);
  let count = 0;
  for (let index = 0; index < length; index += 1) {
    const other = (words[index] ?? 0) ^ 0x0a0a0a0a;
    // Sets the top bit of every byte that is zero in `other`, which is a newline; the multiplication adds the
    // bits up.
    const zeros = ~(((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other | 0x7f7f7f7f);
    if (zeros !== 0) count += Math.imul(zeros >>> 7, 0x01010101) >>> 24;
  }
  return count + countSingly(bytes, from, aligned) + countSingly(bytes, aligned + length * 4, bytes.length);
}

function countSingly(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index += 1) if (bytes[index] === NEWLINE) count += 1;
  return count;
}

/** A part of a text with `…` where text is omitted; surrogate pairs are not split. */
export function excerptOf(text: string, range: { readonly from: number; readonly to: number }): string {
  const from = codePointBoundaryAfter(text, Math.max(0, range.from));
  const to = codePointBoundaryBefore(text, Math.min(text.length, range.to));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Copies a string, because a slice keeps the whole original string in memory. */
export function copyString(text: string): string {
  return Buffer.from(text).toString();
}
