import { once } from '../../text/once.ts';
import { BUILDS } from './families/builds.ts';
import { COMPILERS } from './families/compilers.ts';
import { LINTERS } from './families/linters.ts';
import { LOGS, SUMMARIES } from './families/logs.ts';
import { PACKAGES } from './families/packages.ts';
import { RUNNERS } from './families/runners.ts';
import { SERVICES } from './families/services.ts';
import { SHELL } from './families/shell.ts';
import { TRACES } from './families/traces.ts';
import type { FailurePattern } from './pattern.ts';

/** All patterns, and what they are looked for by. */
export interface Vocabulary {
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
const PATTERNS: readonly FailurePattern[] = [
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
/** The search wants four characters. */
const SHORTEST = 4;

/** Takes milliseconds to make, and an output that is shown whole never needs it. */
export const vocabulary: () => Vocabulary = once(() => {
  const roots = rootsOf(PATTERNS.flatMap(({ words }) => words));
  const long = roots.filter((root) => root.length >= SHORTEST);
  const shortRoots = roots.filter((root) => root.length < SHORTEST);
  const short = shortRoots.map(toPattern);
  const numbered = [...long, ...shortRoots];
  return {
    patterns: PATTERNS,
    long,
    short,
    anyShort: new RegExp(short.map(({ source }) => source).join('|')),
    needed: PATTERNS.map(({ words }) => [
      ...new Set(words.map((word) => numbered.findIndex((root) => word.includes(root)))),
    ]),
    literals: PATTERNS.map(({ words }) => [...new Set(words.map((word) => longest(word.split('~'))))]),
  };
});

/** The words that are worth looking for in raw bytes, one character a byte. */
export const rareWords: () => readonly string[] = once(() =>
  rootsOf(PATTERNS.flatMap(({ words, common }) => (common === true ? [] : words))).map((word) =>
    Buffer.from(word).toString('latin1'),
  ),
);

/** The words without those that have another one in them: `fail` stands for `failed` and `--- FAIL`. */
function rootsOf(words: readonly string[]): readonly string[] {
  const all = [...new Set(words)];
  return all.filter((word) => !all.some((other) => other !== word && word.includes(other)));
}

function longest(parts: readonly string[]): string {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), '');
}

function toPattern(word: string): RegExp {
  return new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('~', '\\d'));
}
