import { toGroupedNumber } from '../../text/size.ts';
import type { Entry } from '../view/entry.ts';

/** What was left out at one place. */
export class Tally {
  readonly #kinds = new Map<string, number>();
  #first: Entry | null = null;
  #lines = 0;

  add(entry: Entry, what: string): void {
    this.#first ??= entry;
    this.#count(what, 1);
  }

  /** Takes over what another one counted. */
  addAll(other: Tally): void {
    this.#first ??= other.#first;
    for (const [what, lines] of other.#kinds) this.#count(what, lines);
  }

  get lines(): number {
    return this.#lines;
  }

  /** In the place of the lines. One line alone is shown as it is: to say that it is missing takes as much room. */
  entry(): Entry | null {
    if (this.#first === null || this.#lines === 0) return null;
    if (this.#lines === 1) return this.#first;
    const line = { start: `[… ${renderKinds(this.#kinds)}]`, end: '', missing: null };
    return { number: this.#first.number, line, rawBytes: 0, ended: true, marker: true };
  }

  /** By kind, for the sum of all places. */
  kinds(): ReadonlyMap<string, number> {
    return this.#kinds;
  }

  #count(what: string, lines: number): void {
    this.#kinds.set(what, (this.#kinds.get(what) ?? 0) + lines);
    this.#lines += lines;
  }
}

/** `210 passed tests, 3 headings`: the most first. */
export function renderKinds(kinds: ReadonlyMap<string, number>): string {
  return [...kinds]
    .sort(([, a], [, b]) => b - a)
    .map(([what, lines]) => `${toGroupedNumber(lines)} ${lines === 1 ? toSingular(what) : what}`)
    .join(', ');
}

function toSingular(what: string): string {
  return what.replace(/^(\S+?)s(?= (?:of|about|that|like|in|without|created)\b)|s$/, '$1');
}
