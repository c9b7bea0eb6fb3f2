import { once } from '../../text/once.ts';
import type { FailurePattern, FailureRank } from './failure-pattern.ts';
import { KeywordScanner } from './keyword-scanner.ts';
import { LOG_PATTERNS, NEGATED_FAILURE, SUMMARY_PATTERNS } from './log-patterns.ts';
import { SERVICE_PATTERNS, SHELL_PATTERNS, STACK_TRACE_PATTERNS } from './runtime-failure-patterns.ts';
import {
  BUILD_PATTERNS,
  COMPILER_PATTERNS,
  LINTER_PATTERNS,
  PACKAGE_MANAGER_PATTERNS,
  TEST_RUNNER_PATTERNS,
} from './tool-failure-patterns.ts';

/** All patterns, and what they are looked for by. */
export interface FailureVocabulary {
  readonly patterns: readonly FailurePattern[];
  /** The roots of four characters and more: what the search can look for. */
  readonly long: readonly string[];
  /** Signs of one to three characters, which are looked for one by one. */
  readonly short: readonly RegExp[];
  readonly anyShort: RegExp;
  /** For each pattern the numbers of its roots, the long ones counted first. */
  readonly needed: readonly (readonly number[])[];
  /** For each pattern its words as far as they have no digits: quicker to look for than the pattern. */
  readonly literals: readonly (readonly string[])[];
}

/** Those who know best what they mean come first; the first that matches decides. */
const FAILURE_PATTERNS: readonly FailurePattern[] = [
  ...SUMMARY_PATTERNS,
  ...TEST_RUNNER_PATTERNS,
  ...LINTER_PATTERNS,
  ...BUILD_PATTERNS,
  ...PACKAGE_MANAGER_PATTERNS,
  ...SERVICE_PATTERNS,
  ...COMPILER_PATTERNS,
  ...STACK_TRACE_PATTERNS,
  ...SHELL_PATTERNS,
  ...LOG_PATTERNS,
];
/** The search wants four characters. */
const MIN_SCANNED_LENGTH = 4;

/** Takes milliseconds to make, and an output that is shown whole never needs it. */
export const loadFailureVocabulary: () => FailureVocabulary = once(() => {
  const roots = findWordRoots(FAILURE_PATTERNS.flatMap(({ words }) => words));
  const long = roots.filter((root) => root.length >= MIN_SCANNED_LENGTH);
  const shortRoots = roots.filter((root) => root.length < MIN_SCANNED_LENGTH);
  const short = shortRoots.map(toWordPattern);
  const numbered = [...long, ...shortRoots];
  return {
    patterns: FAILURE_PATTERNS,
    long,
    short,
    anyShort: new RegExp(short.map(({ source }) => source).join('|')),
    needed: FAILURE_PATTERNS.map(({ words }) => [
      ...new Set(words.map((word) => numbered.findIndex((root) => word.includes(root)))),
    ]),
    literals: FAILURE_PATTERNS.map(({ words }) => [
      ...new Set(words.map((word) => longestText(word.split('~')))),
    ]),
  };
});

/** The words that are worth looking for in raw bytes, one character a byte. */
export const loadRareWords: () => readonly string[] = once(() =>
  findWordRoots(FAILURE_PATTERNS.flatMap(({ words, common }) => (common === true ? [] : words))).map((word) =>
    Buffer.from(word).toString('latin1'),
  ),
);

/** The words without those that have another one in them: `fail` stands for `failed` and `--- FAIL`. */
function findWordRoots(words: readonly string[]): readonly string[] {
  const all = [...new Set(words)];
  return all.filter((word) => !all.some((other) => other !== word && word.includes(other)));
}

function longestText(parts: readonly string[]): string {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), '');
}

function toWordPattern(word: string): RegExp {
  return new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('~', '\\d'));
}

const MAX_CLASSIFIED_CHARACTERS = 2000;
/** Lines that differ in their digits alone are of one kind, unless a zero makes good news of bad. */
const MAX_SHAPES = 500;
const OTHER_DIGITS = /(?<=\d)0|0(?=\d)|[2-9]/g;

/** Says what kind of line a line is. */
export class FailureClassifier {
  readonly #vocabulary = loadFailureVocabulary();
  readonly #scan = new KeywordScanner(this.#vocabulary.long);
  readonly #shapes = new Map<string, FailurePattern | null>();

  /** `null`: of no kind. Most lines are done with after one look. */
  classify(text: string): FailurePattern | null {
    const start = text.length > MAX_CLASSIFIED_CHARACTERS ? text.slice(0, MAX_CLASSIFIED_CHARACTERS) : text;
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
    let present = anyShort.test(line) ? findShortRoots(line, this.#vocabulary) : null;
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
  { patterns, needed, literals }: FailureVocabulary,
): FailurePattern | null {
  const lower = `\n${text}`.toLowerCase();
  const found = patterns.find(
    ({ pattern }, index) =>
      needed[index]?.some((root) => present[root] === 1) === true &&
      literals[index]?.some((literal) => lower.includes(literal)) === true &&
      pattern.test(text),
  );
  return found === undefined || isNegatedFailure(found, text) ? null : found;
}

export function failureRank({ rank }: FailurePattern): FailureRank {
  return rank ?? 'failure';
}

function isNegatedFailure(found: FailurePattern, text: string): boolean {
  const rank = failureRank(found);
  return (rank === 'maybe' || rank === 'warning') && NEGATED_FAILURE.test(text);
}

function findShortRoots(line: string, { long, short }: FailureVocabulary): Uint8Array {
  const present = new Uint8Array(long.length + short.length);
  for (const [index, pattern] of short.entries()) if (pattern.test(line)) present[long.length + index] = 1;
  return present;
}
