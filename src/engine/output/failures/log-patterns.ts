import type { FailurePattern } from './failure-pattern.ts';

const SUMMARIES: readonly Pick<FailurePattern, 'pattern' | 'words'>[] = [
  {
    pattern:
      /^={3,} .*\b\d+ (?:failed|errors?|passed)\b.* ={3,}$|^FAILED \((?:failures|errors|skipped|unexpected)/,
    words: ' failed| error| passed|failed (',
  },
  {
    pattern: /^\s*(?:Tests?|Test Files|Test Suites|Suites|Snapshots|Specs|Assertions)(?: run)?:?\s+.*\b\d+\b/,
    words: 'test|suites|snapshots|specs|assertions',
  },
  {
    pattern:
      /^\s+\d+ (?:failing|passing|pending|failed|passed|skipped|flaky)\b|^[#ℹ] (?:tests|pass|fail|suites) \d+|^\d+ tests? failed:?$|^\d+ tests completed, /,
    words: 'failing|passing|pending|failed|passed|skipped|flaky|# tests|# pass|# fail|ℹ |completed, ',
  },
  {
    pattern:
      /^test result: |^\s*Summary \[|^ok {2}\t|^Result: |^Files=\d+, Tests=\d+|^\d+% tests passed|^test cases: |^\[ {2}PASSED {2}\]|^All tests passed/,
    words: 'test result|summary [|\nok  |result: |files=~|% tests|test cases|passed',
  },
  {
    pattern:
      /\b\d+ examples?, \d+ failures?|\b\d+ runs?, \d+ assertions|^(?:OK|FAILURES!|ERRORS!|WARNINGS!)(?:$| \()|^Tests: \d+, Assertions: |^(?:Passed|Failed)! {1,2}- /,
    words: ' example| runs, |\nok |failures!|errors!|warnings!|assertions|passed!|failed!',
  },
  {
    pattern:
      /^Ran \d+ tests?|^Found \d+ (?:error|issue|warning|problem|diagnostic|fixable)|^[✖×] \d+ problems?|\b\d+ (?:errors?|warnings?) (?:generated|emitted|found)|^\d+ (?:errors?|warnings?|problems?)\b|^Checked \d+ file|^Your code has been rated|^All checks passed|^\d+ files? (?:inspected|checked|would)/,
    words: '\nran |found |problem| error|warning|checked |code has been|all checks|inspected|would',
  },
  {
    pattern:
      /^(?:added|removed|changed|up to date|audited|Done in|Successfully|Installed|Already up|Everything up|Finished|Setting up .* done)\b.*\d|^\d+ upgraded, |^\d+ vulnerabilities|^\d+ (?:packages? are|\w+ severity)|^found \d+ vuln|^Bundle complete|^Packages: [+-]/,
    words:
      '\nadded|\nremoved|\nchanged|up to date|audited|done in|\nsuccessfully|\ninstalled|\nalready|up-to-date|finished|upgraded|vulnerab|packages|severity|vuln|bundle comp|\nsetting|everything',
  },
  {
    pattern:
      /^(?:\[INFO\] )?BUILD (?:SUCCESS|SUCCESSFUL|FAILURE|FAILED)\b|^\[(?:INFO|ERROR|WARNING)\] Tests run: |^\d+ actionable tasks?|^webpack [\d.]+ compiled|^✓ built in|^compiled (?:successfully|with)|^Compiled |^warning: .* generated \d+ warnings?|^error: (?:aborting|could not compile)|^\[INFO\] (?:Total time|Reactor Summary)|^\[INFO\] .* (?:SUCCESS|FAILURE|SKIPPED) \[/,
    words: 'build |tests run|actionable|webpack |built in|compiled|generated|aborting|could not comp|[info] ',
  },
];

/** Counts and final lines that summarise a result. They are also shown for a successful run. */
export const SUMMARY_PATTERNS: readonly FailurePattern[] = SUMMARIES.map((summary) => ({
  ...summary,
  rank: 'summary',
  common: true,
}));

/** Warnings, and log lines that may report a failure. */
export const LOG_PATTERNS: readonly FailurePattern[] = [
  {
    pattern:
      /\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|FAILED|FAILURE|EMERGENCY|ALERT)\b|"?level"?[=:] ?"?(?:error|fatal|critical|panic|crit|alert|emerg)\b/,
    words: 'error|fatal|critical|severe|panic|failed|failure|emerg|alert|"crit',
    rank: 'maybe',
  },
  {
    pattern:
      /(?:^|[\s([])(?:[Ee]rror|[Ff]atal|[Ff]ailed|[Ff]ailure|[Ee]xception)(?:: | to |\)|\])|(?:^|\s)error\[/,
    words: 'error|fatal|failed|failure|exception',
    rank: 'maybe',
  },
  {
    pattern:
      /^\w[\w ./-]*: (?:error|failed|failure|invalid|unknown|unrecognized|unsupported|missing|denied|refused|no such|not a|too )\b/i,
    words: 'error|fail|invalid|unknown|unrecognized|unsupported|missing|denied|refused|no such|not a|: too ',
    rank: 'maybe',
  },
  {
    pattern:
      /\b(?:warning|WARNING|Warning|WARN|warn)\b|\b(?:deprecated|DEPRECATED|deprecation|Deprecation|DeprecationWarning)\b|^W: |^w: /,
    words: 'warn|deprecat|\nw: ',
    rank: 'warning',
  },
];

/** Lines that deny a failure: `0 errors`, `no failures`, `failed: 0`. */
export const NEGATED_FAILURE: RegExp =
  /\b(?:0|no|without|zero) (?:\w+ )?(?:errors?|failures?|failed|failing|warnings?|problems?)\b|\b(?:errors?|failures?|failed|warnings?)\b["']? ?[:=] ?(?:0|none|null|false|\[\]|"")(?![\d.])/i;
