import type { FailurePattern } from '../pattern.ts';
import { COMPILER_CONTEXT, NEXT_LINE, POINTER } from './nearby.ts';

/** Compilers, linkers and type checkers. */
export const COMPILERS: readonly FailurePattern[] = [
  {
    pattern: /^\S.*?:\d+(?::\d+)?:? (?:fatal |internal compiler |syntax )?error\b/,
    words: ['error'],
    before: COMPILER_CONTEXT,
    follow: POINTER,
  },
  {
    pattern: /^\S.*?\(\d+(?:,\d+)*\)\s?: (?:fatal )?error\b/,
    words: ['error'],
    follow: { pattern: /^ {2,}\S/, lines: 2, within: 2 },
  },
  { pattern: /^\s*\S+:\d+:\d+ - error\b/, words: ['error'], follow: POINTER },
  { pattern: /^\s*error(?:\[[A-Z]+\d+\])?: /, words: ['error: ', 'error['], follow: POINTER },
  { pattern: /\b(?:error|ERROR) [A-Z]{1,5}\d{3,5}: /, words: ['error '] },
  {
    pattern: /^(?:vet: )?\S+\.go:\d+:\d+: /,
    words: ['.go:'],
    before: { pattern: /^# /, lines: 1, within: 12 },
  },
  {
    pattern:
      /undefined (?:reference to|symbols? (?:for|:))|multiple definition of|relocation (?:truncated|R_\w+)|^(?:\S*\/)?(?:ld|lld|ld\.\w+|collect2|link)(?:: | ).*(?:error|cannot find|undefined|exit status|duplicate symbol)/,
    words: ['undefined ', 'multiple def', 'relocation ', 'ld: ', 'lld: ', 'collect~', 'link'],
    before: { pattern: /: in function |: In function /, lines: 1, within: 1 },
  },
  { pattern: /^PHP (?:Parse|Fatal|Recoverable fatal) error:|^(?:Parse|Fatal) error: /i, words: ['error:'] },
  {
    pattern: /\bsyntax error(?:,|:| at | near | in |$)/i,
    words: ['syntax error'],
    follow: NEXT_LINE,
  },
  { pattern: /^\S+\.(?:lua|sql|awk|tcl):\d+: \S/, words: ['.lua:', '.sql:', '.awk:', '.tcl:'] },
  {
    pattern: /^Error (?:in|loading|building|compiling|while) \S|^Error: \S/,
    words: ['\nerror'],
    follow: NEXT_LINE,
  },
  { pattern: /^e: (?:file:|\/|\w:)|^\s*error - \S/, words: ['\ne: ', 'error - '] },
];
