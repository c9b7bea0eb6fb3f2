import { HARMLESS } from './families/logs.ts';
import type { FailurePattern, Rank } from './pattern.ts';
import { type Vocabulary, vocabulary } from './vocabulary.ts';
import { WordScan } from './word-scan.ts';

const MAX_LOOKED_AT = 2000;
/** Lines that differ in their digits alone are of one kind, unless a zero makes good news of bad. */
const MAX_SHAPES = 500;
const OTHER_DIGITS = /(?<=\d)0|0(?=\d)|[2-9]/g;

/** Says what kind of line a line is. */
export class Recogniser {
  readonly #vocabulary = vocabulary();
  readonly #scan = new WordScan(this.#vocabulary.long);
  readonly #shapes = new Map<string, FailurePattern | null>();

  /** `null`: of no kind. Most lines are done with after one look. */
  recognise(text: string): FailurePattern | null {
    const start = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT) : text;
    const present = this.#rootsIn(start);
    if (present === null) return null;
    const shape = start.replace(OTHER_DIGITS, '1');
    const known = this.#shapes.get(shape);
    if (known !== undefined) return known;
    const found = findPattern(start, present, this.#vocabulary);
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    this.#shapes.set(shape, found);
    return found;
  }

  #rootsIn(text: string): Uint8Array | null {
    const line = `\n${text}`;
    const { long, short, anyShort } = this.#vocabulary;
    let present = anyShort.test(line) ? shortRootsIn(line, this.#vocabulary) : null;
    for (let at = this.#scan.next(line, 0); at !== -1; at = this.#scan.next(line, Math.max(0, at - 2))) {
      present ??= new Uint8Array(long.length + short.length);
      present[this.#scan.found] = 1;
    }
    return present;
  }
}

function findPattern(
  text: string,
  present: Uint8Array,
  { patterns, needed, literals }: Vocabulary,
): FailurePattern | null {
  const lower = `\n${text}`.toLowerCase();
  const found = patterns.find(
    ({ pattern }, index) =>
      needed[index]?.some((root) => present[root] === 1) === true &&
      literals[index]?.some((literal) => lower.includes(literal)) === true &&
      pattern.test(text),
  );
  return found === undefined || isGoodNews(found, text) ? null : found;
}

export function rankOf({ rank }: FailurePattern): Rank {
  return rank ?? 'failure';
}

function isGoodNews(found: FailurePattern, text: string): boolean {
  const rank = rankOf(found);
  return (rank === 'maybe' || rank === 'warning') && HARMLESS.test(text);
}

function shortRootsIn(line: string, { long, short }: Vocabulary): Uint8Array {
  const present = new Uint8Array(long.length + short.length);
  for (const [index, pattern] of short.entries()) if (pattern.test(line)) present[long.length + index] = 1;
  return present;
}
