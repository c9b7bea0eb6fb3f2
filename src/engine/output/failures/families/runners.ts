import type { FailurePattern } from '../pattern.ts';
import { DETAILS, INDENTED, NEXT_LINE, NEXT_LINES } from './nearby.ts';

const NUMBERED = { pattern: /\S/, lines: 5, within: 9 } as const;

/** Test runners: which test failed, and what it expected. */
export const RUNNERS: readonly FailurePattern[] = [
  // pytest, unittest, doctest, nose
  {
    pattern: /^E {2,}\S/,
    words: ['\ne  '],
    run: 8,
    follow: { pattern: /^\S+\.py:\d+: |^\S+\.pyx?:\d+$/, lines: 1, within: 12 },
  },
  { pattern: /^(?:FAILED|ERROR) \S+(?:::|\.py)/, words: ['\nfailed ', '\nerror '] },
  { pattern: /^_{3,} .* _{3,}$|^_{2,} ERROR /, words: ['____'] },
  {
    pattern: /^(?:FAIL|ERROR): \w+ \(/,
    words: ['\nfail: ', '\nerror: '],
    follow: { pattern: /^\w*(?:Error|Exception|Failure)\b|^ {2}File "/, lines: 3, within: 14 },
  },
  { pattern: /^Failed example:$/, words: ['failed example'], follow: { pattern: /\S/, lines: 5, within: 6 } },
  // vitest, jest, mocha, jasmine, ava, bun, deno, playwright, node:test
  {
    pattern: /^\s*(?:FAIL|❯)\s+(?:\|\S+\|\s+)?(?!.*:\d+:\d+)\S.*(?:\.[cm]?[jt]sx?\b| > | › )/,
    words: ['fail', '❯ '],
  },
  { pattern: /^\s+● (?!Console)\S/, words: ['● '], follow: { pattern: /\S/, lines: 9, within: 22 } },
  { pattern: /^\s*(?:[×✗✖✕✘]|\(fail\)) +\S/, words: [' × ', '\n× ', '✗ ', '✖ ', '✕ ', '✘ ', '(fail)'] },
  { pattern: /^\s{2,}\d+\) \S/, words: ['~) '], common: true, follow: NUMBERED },
  {
    pattern: /^\s*not ok \d+/,
    words: ['not ok '],
    before: { pattern: /^\s*# (?!tests |pass |fail |Looks )\S/, lines: 1, within: 12 },
    follow: {
      pattern:
        /^\s*#|^\s+(?:error|location|expected|actual|message|at|operator|failureType|found|wanted|got|severity): |^\s+(?:---|'.*')?$/,
      lines: 10,
      within: 24,
    },
  },
  { pattern: /^Expected (?!:)\S.* to (?:be|equal|have|contain|match|throw)\b/, words: ['\nexpected '] },
  // cargo test, nextest, go test, gotestsum
  {
    pattern: /^test .+ \.\.\. FAILED$|^---- .+ stdout ----$/,
    words: ['failed', 'stdout ---'],
  },
  { pattern: /^ {4}\w+(?:::\w+)+$/, words: ['::'], common: true },
  {
    pattern: /^\s+(?:FAIL|TIMEOUT|SIG\w+|ABORT) \[ *\d/,
    words: ['fail [', 'timeout [', 'sigsegv [', 'sigabrt [', 'abort ['],
  },
  {
    pattern: /^\s*--- FAIL: |^=== (?:FAIL|Failed)/,
    words: ['--- fail', '=== fail'],
    before: {
      pattern: /^\s+\w+\.go:\d+: |^\s+Error(?: Trace)?:\s|^\s+(?:expected|actual|got|want)/,
      lines: 6,
      within: 10,
    },
    follow: {
      pattern: /^\s+\w[\w-]*\.go:\d+: |^\s+(?:Error|Messages|Test|expected|actual|got|want)\b/,
      lines: 6,
      within: 12,
    },
  },
  { pattern: /^FAIL\t\S|^FAIL$/, words: ['\nfail'] },
  { pattern: /^\s+\w[\w-]*_test\.go:\d+: /, words: ['_test.go:'] },
  // JUnit under maven, gradle, ant; TestNG
  { pattern: /<<< (?:FAILURE|ERROR)!/, words: ['<<< '], follow: { pattern: /\S/, lines: 3, within: 4 } },
  { pattern: /^\S.* > .* FAILED$/, words: [' failed'], follow: INDENTED },
  { pattern: /^\[ERROR\] {3}\S+(?:\.|:)\S*:?\d*/, words: ['[error]   '] },
  // ctest, googletest, catch2, doctest, boost
  {
    pattern: /^\s*\d+\/\d+ Test +#\d+: .*(?:\*{3}|Failed|Exception|Timeout|Not Run)/,
    words: ['*** ', '\n***', 'failed', 'exception', 'timeout', 'not run'],
  },
  {
    pattern: /^The following tests (?:FAILED|did not run):/,
    words: ['the following tests'],
    follow: { pattern: /^\s*\d+ - /, lines: 12, within: 12 },
  },
  { pattern: /^\[ {2}FAILED {2}\] /, words: ['[  failed'] },
  {
    pattern: /^\S+:\d+: (?:Failure|FAILED)\b|^\S+\(\d+\): FAILED:|^\S+:\d+: FAILED:/,
    words: ['failure', 'failed'],
    follow: NEXT_LINES,
  },
  { pattern: /^\S+\(\d+\): (?:fatal )?error: in "|^TEST CASE: {2}/, words: ['error: in', 'test case: '] },
  // prove and everything that writes Test::More diagnostics, bats
  {
    pattern: /^# {3}Failed (?:\(TODO\) )?test /,
    words: ['#   failed'],
    before: { pattern: /^not ok /, lines: 1, within: 2 },
    follow: { pattern: /^# +\S/, lines: 5, within: 6 },
  },
  {
    pattern: /Failed \d+\/\d+ subtests|Dubious, test returned|^\s+Failed tests?: {2}|Non-zero exit status: /,
    words: ['failed ', 'dubious', 'non-zero'],
  },
  {
    pattern: /^# \((?:in|from) .*, line \d+\)|^# {3}`.*' failed/,
    words: [', line #', "' failed"],
    follow: { pattern: /^# /, lines: 3, within: 4 },
  },
  // rspec, minitest, phpunit, dotnet, exunit
  {
    pattern: /^\s+Failure\/Error: /,
    words: ['failure/error'],
    follow: { pattern: /\S/, lines: 6, within: 9 },
  },
  { pattern: /^rspec \S+:\d+/, words: ['\nrspec '] },
  { pattern: /^\s*\d+\) (?:Failure|Error|Skipped):?$/, words: ['failure', 'error'], follow: NEXT_LINES },
  { pattern: /^\d+\) \S+::\S+/, words: ['~) '], common: true, follow: NUMBERED },
  {
    pattern: /^Failed asserting that /,
    words: ['failed asserting'],
    follow: { pattern: /\.php:\d+$/, lines: 1, within: 8 },
  },
  { pattern: /^\s+Failed \S+ \[[<\d]/, words: ['failed '], follow: NUMBERED },
  // bazel, karma, deno, robot
  {
    pattern: /^\/\/\S+ +(?:FAILED|TIMEOUT|NO STATUS|FLAKY)/,
    words: ['failed', 'timeout', 'no status', 'flaky'],
  },
  {
    pattern: /^\S.* \.\.\. (?:FAILED|FAIL|ERROR)(?: \(|$)|^[A-Z]\w+ [\d.]+ \(\w.*\) .* FAILED$|\| FAIL \|$/,
    words: ['... fail', '... error', ' failed', '| fail |'],
    follow: NEXT_LINE,
  },
  {
    pattern: /^\s*(?:Failures|Failed Tests|Failed Suites|Failing tests|failing tests):?(?: \d+)?$/,
    words: ['failures', 'failed tests', 'failed suites', 'failing tests'],
    follow: DETAILS,
  },
];
