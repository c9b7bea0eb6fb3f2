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

/** All failure patterns, prepared for the search. */
interface FailureVocabulary {
  readonly patterns: readonly FailurePattern[];
  /** Roots of at least four characters, for the keyword scanner. */
  readonly long: readonly string[];
  /** Roots of one to three characters, searched one by one. */
  readonly short: readonly RegExp[];
  readonly anyShort: RegExp;
  /** For each pattern, the indexes of its roots, long ones first. */
  readonly needed: readonly (readonly number[])[];
  /** For each pattern, the longest part of each word without digits. This check is faster than the pattern. */
  readonly literals: readonly (readonly string[])[];
}

/** Most specific patterns first; the first match decides. */
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
const MIN_SCANNED_LENGTH = 4;

/** Prepares the patterns on first use: it takes milliseconds, and short outputs do not need them. */
export const loadFailureVocabulary: () => FailureVocabulary = once(() => {
  const words = FAILURE_PATTERNS.map(splitWords);
  const roots = findWordRoots(words.flat());
  const long = roots.filter((root) => root.length >= MIN_SCANNED_LENGTH);
  const shortRoots = roots.filter((root) => root.length < MIN_SCANNED_LENGTH);
  const short = shortRoots.map(toWordPattern);
  const numbered = [...long, ...shortRoots];
  return {
    patterns: FAILURE_PATTERNS,
    long,
    short,
    anyShort: new RegExp(short.map(({ source }) => source).join('|')),
    needed: words.map((each) => [
      ...new Set(each.map((word) => numbered.findIndex((root) => word.includes(root)))),
    ]),
    literals: words.map((each) => [...new Set(each.map((word) => longestText(word.split('~'))))]),
  };
});

/** The words that are searched in raw bytes, one character per byte. */
export const loadRareWords: () => readonly string[] = once(() =>
  findWordRoots(FAILURE_PATTERNS.filter(({ common }) => common !== true).flatMap(splitWords)).map((word) =>
    Buffer.from(word).toString('latin1'),
  ),
);

function splitWords({ words }: FailurePattern): string[] {
  return words.split('|');
}

/** Removes words that contain another word: `fail` covers `failed` and `--- FAIL`. */
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
/** Number of cached line shapes. Lines that differ only in digits share a shape, except for a lone zero. */
const MAX_SHAPES = 500;
const OTHER_DIGITS = /(?<=\d)0|0(?=\d)|[2-9]/g;

/** Finds the failure pattern that a line matches. */
export class FailureClassifier {
  readonly #vocabulary = loadFailureVocabulary();
  readonly #keywords = new KeywordScanner(this.#vocabulary.long);
  readonly #cache = new Map<string, FailurePattern | null>();

  /** Returns the pattern of a line, or `null`. Most lines contain no keyword and return early. */
  classify(text: string): FailurePattern | null {
    const start = text.length > MAX_CLASSIFIED_CHARACTERS ? text.slice(0, MAX_CLASSIFIED_CHARACTERS) : text;
    const present = this.#findRoots(start);
    if (present === null) return null;
    const shape = start.replace(OTHER_DIGITS, '1');
    const known = this.#cache.get(shape);
    if (known !== undefined) return known;
    const found = findPattern(start, present, this.#vocabulary);
    if (this.#cache.size >= MAX_SHAPES) this.#cache.clear();
    this.#cache.set(shape, found);
    return found;
  }

  #findRoots(text: string): Uint8Array | null {
    const line = `\n${text}`;
    const { long, short, anyShort } = this.#vocabulary;
    let present = anyShort.test(line) ? findShortRoots(line, this.#vocabulary) : null;
    for (
      let at = this.#keywords.next(line, 0);
      at !== -1;
      at = this.#keywords.next(line, Math.max(0, at - 2))
    ) {
      present ??= new Uint8Array(long.length + short.length);
      present[this.#keywords.found] = 1;
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

/** The rank of a pattern, `failure` by default. */
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
