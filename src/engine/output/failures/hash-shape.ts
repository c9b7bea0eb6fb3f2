const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;

/**
 * A number that lines have in common which differ in their digits alone; a zero that stands alone is no digit like
 * others, since it makes good news of bad. Two hashes in one: no two of the lines of a log will share it by chance.
 */
export function hashShape(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let one = 0x811c9dc5;
  let two = 0x01234567;
  for (let at = from; at < to; at += 1) {
    let byte = bytes[at] as number;
    if (byte >= ZERO && byte <= NINE && !isLoneZero(bytes, at)) byte = ONE;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two + byte, 0x85ebca6b) ^ (two >>> 13);
  }
  return (one >>> 0) * 0x20_00_00 + ((two >>> 0) & 0x1f_ff_ff);
}

function isLoneZero(bytes: Buffer, at: number): boolean {
  return bytes[at] === ZERO && !isDigit(bytes[at - 1]) && !isDigit(bytes[at + 1]);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
