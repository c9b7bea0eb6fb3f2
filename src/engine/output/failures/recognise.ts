import { BUILDS } from './families/builds.ts';
import { COMPILERS } from './families/compilers.ts';
import { LINTERS } from './families/linters.ts';
import { HARMLESS, LOGS, SUMMARIES } from './families/logs.ts';
import { PACKAGES } from './families/packages.ts';
import { RUNNERS } from './families/runners.ts';
import { SERVICES } from './families/services.ts';
import { SHELL } from './families/shell.ts';
import { TRACES } from './families/traces.ts';
import type { FailurePattern, Rank } from './pattern.ts';
import { WordScan } from './word-scan.ts';

/** Those who know best what they mean come first; the first that matches decides. */
export const PATTERNS: readonly FailurePattern[] = [
  ...SUMMARIES,
  ...RUNNERS,
  ...LINTERS,
  ...BUILDS,
  ...PACKAGES,
  ...SERVICES,
  ...COMPILERS,
  ...TRACES,
  ...SHELL,
  ...LOGS,
];

/**
 * The words of all patterns, without those that have another one in them: `fail` stands for `failed` and `--- FAIL`.
 * Where a pattern needs a word, its root is looked for.
 */
const WORDS: readonly string[] = [...new Set(PATTERNS.flatMap(({ words }) => words))];
const ROOTS = WORDS.filter((word) => !WORDS.some((other) => other !== word && word.includes(other)));
/** The search wants four characters; signs of one or two are looked for one by one. */
const SHORTEST = 4;
const LONG = ROOTS.filter((root) => root.length >= SHORTEST);
const SHORT = ROOTS.filter((root) => root.length < SHORTEST).map((root) => ({
  root,
  pattern: toPattern(root),
}));
const ANY_SHORT = new RegExp(SHORT.map(({ pattern }) => pattern.source).join('|'));
/** For each pattern the numbers of its roots, the long ones first. */
const NUMBERED = [...LONG, ...SHORT.map(({ root }) => root)];
const NEEDED = PATTERNS.map(({ words }) => [
  ...new Set(words.map((word) => NUMBERED.findIndex((root) => word.includes(root)))),
]);

/** For each pattern its words as far as they have no digits: quicker to look for than the pattern. */
const LITERALS = PATTERNS.map(({ words }) => [...new Set(words.map((word) => longest(word.split('~'))))]);

/** The words that are worth looking for in raw bytes, one character a byte. */
export function createByteScan(): WordScan {
  const rare = new Set(PATTERNS.flatMap(({ words, common }) => (common === true ? [] : words)));
  const roots = [...rare].filter(
    (word) => ![...rare].some((other) => other !== word && word.includes(other)),
  );
  return new WordScan(roots.map((word) => Buffer.from(word).toString('latin1')));
}

const MAX_LOOKED_AT = 2000;
/** Lines that differ in their digits alone are of one kind, unless a zero makes good news of bad. */
const MAX_SHAPES = 500;
const OTHER_DIGITS = /(?<=\d)0|0(?=\d)|[2-9]/g;

/** Says what kind of line a line is. */
export class Recogniser {
  readonly #scan = new WordScan(LONG);
  readonly #shapes = new Map<string, FailurePattern | null>();

  /** `null`: of no kind. Most lines are done with after one look. */
  recognise(text: string): FailurePattern | null {
    const start = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT) : text;
    const present = this.#rootsIn(start);
    if (present === null) return null;
    const shape = start.replace(OTHER_DIGITS, '1');
    const known = this.#shapes.get(shape);
    if (known !== undefined) return known;
    const found = findPattern(start, present);
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    this.#shapes.set(shape, found);
    return found;
  }

  #rootsIn(text: string): Uint8Array | null {
    const line = `\n${text}`;
    let present = ANY_SHORT.test(line) ? shortRootsIn(line) : null;
    for (let at = this.#scan.next(line, 0); at !== -1; at = this.#scan.next(line, Math.max(0, at - 2))) {
      present ??= new Uint8Array(NUMBERED.length);
      present[this.#scan.found] = 1;
    }
    return present;
  }
}

function findPattern(text: string, present: Uint8Array): FailurePattern | null {
  const lower = `\n${text}`.toLowerCase();
  const found = PATTERNS.find(
    ({ pattern }, index) =>
      NEEDED[index]?.some((root) => present[root] === 1) === true &&
      LITERALS[index]?.some((literal) => lower.includes(literal)) === true &&
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

function shortRootsIn(line: string): Uint8Array {
  const present = new Uint8Array(NUMBERED.length);
  for (const [index, { pattern }] of SHORT.entries())
    if (pattern.test(line)) present[LONG.length + index] = 1;
  return present;
}

function longest(parts: readonly string[]): string {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), '');
}

function toPattern(word: string): RegExp {
  return new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('~', '\\d'));
}
