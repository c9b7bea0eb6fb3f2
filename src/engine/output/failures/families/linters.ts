import type { FailurePattern } from '../pattern.ts';
import { FILE_ABOVE, NEXT_LINES, POINTER } from './nearby.ts';

const CODE_LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'i', 'n', 'p', 'r', 's', 't', 'u', 'w', 'dl', 'sc'];

/** Linters and formatters. What they find is why they fail. */
export const LINTERS: readonly FailurePattern[] = [
  { pattern: /^\s+\d+:\d+\s+(?:error|✖)\s/, words: ['error ', 'error\t', '✖ '], before: FILE_ABOVE },
  {
    pattern: /^\s+\d+:\d+\s+(?:warning|warn|⚠)\s/,
    words: ['warn', '⚠ '],
    rank: 'warning',
    before: FILE_ABOVE,
  },
  {
    pattern: /^\S+:\d+:\d+ (?:lint|assist|parse|format|suppressions|organizeImports)\/?\S* /,
    words: [' lint/', ' assist/', ' parse ', ' format ', ' suppress', ' organize'],
    follow: NEXT_LINES,
  },
  { pattern: /^\S+? (?:lint|format|check|ci|organizeImports) ━/, words: [' ━━'], follow: NEXT_LINES },
  {
    pattern: /^\S+?:\d+(?::\d+)?:? \[?[A-Z]{1,4}\d{2,4}\b/,
    words: CODE_LETTERS.flatMap((letter) => [`: ${letter}~`, `: [${letter}~`, `~ ${letter}~`]),
    common: true,
  },
  {
    pattern: /^[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S/,
    words: CODE_LETTERS.map((letter) => `\n${letter}~`),
    common: true,
    follow: POINTER,
  },
  {
    pattern: /^\S+?:\d+:\d+: (?:\[\w+\] )?[CWEFRI]: /,
    words: [': c: ', ': w: ', ': e: ', ': f: ', ': r: ', ': i: '],
    common: true,
  },
  { pattern: /^In \S+ line \d+:$/, words: [' line ~'], follow: { pattern: /\S/, lines: 3, within: 4 } },
  { pattern: /^\s*(?:×|✖|x|⚠|!) [\w@/-]+\([\w/-]+\): /, words: ['): '], common: true, follow: POINTER },
  { pattern: /^\[(?:warn|error|ERROR|WARN)\] (?:\/|\S+\.\w+)/, words: ['[warn] ', '[error] '] },
  {
    pattern: /^would reformat |^Would reformat: |^error: cannot format |^--- .*\t.*\d$/,
    words: ['would reformat', 'cannot format'],
  },
  {
    pattern: /^\s+\d+:\d+ +(?:error|warning) +\S.* +\([\w-]+\)$/,
    words: ['error', 'warning'],
    before: FILE_ABOVE,
  },
  {
    pattern: /^\s*\d+ +(?:Parameter|Method|Property|Variable|Call to|Access to|Function|Class|Undefined)\b/,
    words: [
      'parameter',
      'method',
      'property',
      'variable',
      'call to',
      'access to',
      'function',
      'class',
      'undefined',
    ],
    common: true,
    rank: 'maybe',
  },
];
