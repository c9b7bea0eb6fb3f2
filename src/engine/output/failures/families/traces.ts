import type { FailurePattern } from '../pattern.ts';
import { DETAILS, FRAMES, NEXT_LINE } from './nearby.ts';

const PYTHON_PLACE = {
  pattern: /^\s+File ".*", line \d+|^ {4,}\S|^\s+[\^~]+\s*$/,
  lines: 3,
  within: 3,
} as const;

/** Exceptions, panics and what runtimes say when a program dies. */
export const TRACES: readonly FailurePattern[] = [
  { pattern: /^\s*Traceback \(most recent call last\):/, words: ['traceback'] },
  {
    // Python: the last frame stands right before the line that names the exception.
    pattern:
      /^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Expired|NotFound)|[A-Z]\w*Fault)(?:: |$)/,
    words: [
      'error',
      'exception',
      'warning',
      'exit',
      'interrupt',
      'iteration',
      'expired',
      'notfound',
      'fault',
    ],
    before: PYTHON_PLACE,
    follow: DETAILS,
  },
  {
    pattern:
      /^(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w$]*[.:/]+)*[A-Za-z_]*(?:Error|Exception|Failure)(?: \[\w+\])?(?:: |$)/,
    words: ['error', 'exception', 'failure'],
    before: { pattern: /^(?:file:\/\/)?\/\S+:\d+$|^\s*\^+$|^\s+throw |^\s*[\^~]+/, lines: 4, within: 5 },
    follow: DETAILS,
  },
  {
    pattern:
      /^[\s→│|]{1,14}(?:\d+\) )?(?:Uncaught )?(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure)(?: \[\w+\])?(?:: | at |$)/,
    words: ['error', 'exception', 'failure'],
    follow: DETAILS,
  },
  {
    pattern: /^\s*(?:Exception in thread |Caused by: |Suppressed: |Wrapped by: )/,
    words: ['exception in', 'caused by', 'suppressed', 'wrapped by'],
    follow: FRAMES,
  },
  { pattern: /^Caused by:$/, words: ['caused by'], follow: NEXT_LINE },
  {
    pattern: /^\s*(?:panic: |fatal error: |SIG[A-Z]+: |runtime error: |http: panic )/,
    words: [
      'panic',
      'fatal error',
      'runtime error',
      'sigsegv',
      'sigabrt',
      'sigbus',
      'sigfpe',
      'sigill',
      'sigquit',
      'sigkill',
      'sigterm',
      'sigpipe',
    ],
    follow: { pattern: /^\s+(?!\/usr\/).*\.go:\d+|^goroutine \d+ \[|^\[signal /, lines: 4, within: 24 },
  },
  {
    pattern: /^\s*thread '.*' (?:\(\d+\) )?panicked at |^thread \d+ panic: /,
    words: ['panic'],
    follow: { pattern: /\S/, lines: 3, within: 4 },
  },
  {
    pattern:
      /\b(?:Unhandled|Uncaught) (?:\w+ )?(?:exception|error|promise rejection|rejection)\b|^\[?UnhandledPromiseRejection|triggerUncaughtException/i,
    words: ['unhandled', 'uncaught'],
    follow: NEXT_LINE,
  },
  { pattern: /^\s*terminate called |^terminating (?:due to|with) /, words: ['terminat'], follow: NEXT_LINE },
  {
    pattern:
      /\b(?:Assertion|assertion)\b.*\b(?:failed|FAILED)\b|^ASSERT(?:ION)?[ :_]|\bassert(?:ion)? failed\b/,
    words: ['assert'],
    follow: DETAILS,
  },
  {
    pattern: /(?:Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer: |: runtime error: /,
    words: ['sanitizer', 'runtime error'],
    follow: { pattern: /^\s+#[0-3] .*(?::\d+|\+0x)/, lines: 3, within: 8 },
  },
  {
    pattern:
      /^==\d+== *(?:Invalid |Conditional jump|Use of uninit|Syscall param|Process terminating|Source and dest|Mismatched free|ERROR SUMMARY: [1-9]|.*definitely lost in )/,
    words: [
      'invalid ',
      'conditional',
      'use of uninit',
      'syscall param',
      'process term',
      'source and',
      'mismatched',
      'error summary',
      'definitely',
    ],
    follow: { pattern: /^==\d+== +(?:at|by) 0x.*:\d+\)/, lines: 3, within: 6 },
  },
  {
    pattern:
      /^\*\*\* .*(?:detected|terminated)|double free or corruption|free\(\): invalid|malloc\(\): |munmap_chunk\(\)|corrupted (?:size|double-linked)/,
    words: ['*** ', '\n***', 'double free', 'free(): ', 'malloc(): ', 'munmap_chunk', 'corrupted '],
  },
  {
    pattern: /^#\d+ +(?:0x[\da-f]+ in )?\S.* at \S+:\d+$/,
    words: [' at '],
    common: true,
    rank: 'maybe',
  },
  {
    pattern: /\.(?:rb|rake|gemspec):\d+:in .*: .*\((?:\w+::)*\w+(?:Error|Exception|Fault|Interrupt|Exit)?\)$/,
    words: ['.rb:', '.rake:', '.gemspec:'],
    follow: FRAMES,
  },
  {
    pattern: /^\s*\*\* \((?:\w+\.)*\w+\) |^\*\* exception \w+: /,
    words: ['** (', '** exception'],
    follow: NEXT_LINE,
  },
  { pattern: /^\S.* at \S+ line \d+\.$/, words: [' line ~'], follow: NEXT_LINE },
  {
    pattern: /^(?:Fatal error: exception |Uncaught exception: )|^\w+: .*\bCallStack\b/,
    words: ['exception', 'callstack'],
  },
];
