const NEWLINE = 10;
const BATCH = 64;
/** Where lines are shorter than this on average, four bytes at a time beat one search per line. */
const DENSE_BYTES = 32;

/** How many newlines there are; runs on every byte a command prints. */
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
    // The top bit of every byte that is zero in `other`, which is a newline; the product adds them up.
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
