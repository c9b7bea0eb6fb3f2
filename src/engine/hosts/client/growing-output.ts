/**
 * Finds out what is new in an output of which a client shows only the end.
 *
 * Each look gives the last so many bytes of all there was: what was seen last time, moved on.
 */
export class GrowingOutput {
  #seen = '';
  #gaps = 0;

  /** How often something went by between two looks. */
  get gaps(): number {
    return this.#gaps;
  }

  /** What came since the last look. */
  next(shown: string): string {
    const seen = this.#seen;
    this.#seen = shown;
    if (shown.startsWith(seen)) return shown.slice(seen.length);
    const overlap = overlapOf(seen, shown);
    if (overlap === 0) this.#gaps += 1;
    return shown.slice(overlap);
  }
}

/** How long the longest end of one text is with which the other begins. */
function overlapOf(before: string, after: string): number {
  const borders = bordersOf(after);
  let length = 0;
  for (let at = Math.max(0, before.length - after.length); at < before.length; at += 1) {
    while (length > 0 && before[at] !== after[length]) length = borders[length - 1] ?? 0;
    if (before[at] === after[length]) length += 1;
  }
  return length;
}

/** For each place of a text: how long its longest start is that also ends there. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
