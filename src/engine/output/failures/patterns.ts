/** A kind of line that tells why something failed. */
export interface FailurePattern {
  readonly pattern: RegExp;
  /** Lines right after it that belong to it. */
  readonly follow?: { readonly pattern: RegExp; readonly lines: number };
}

const STACK_FRAME = { pattern: /^\s+(?:at |File "|in |\d+: )/, lines: 2 };
const POINTER = { pattern: /^\s*(?:-->|at |╭|,-)/, lines: 1 };
const NEXT_LINE = { pattern: /\S/, lines: 1 };

/** Words without which no pattern matches: most lines are done with after this one look. */
export const TRIGGER: RegExp =
  /e(?:rr(?:or|_|!)|xception)|^e: |fa(?:il|tal)|panic|traceback|caused by|assert|not (?:ok|found)|un(?:defined|handled|caught)|no such|denied|cannot|segmentation|killed|core dumped|abort|memory|\*\*\*|^E {3}|\.go:|critical|severe|[✗✘✖✕×●]/i;

/** Written by tools that mean it. */
export const STRONG: readonly FailurePattern[] = [
  // Compilers and type checkers
  { pattern: /^\S.*?:\d+(?::\d+)?:? (?:fatal |internal compiler )?error\b/ },
  { pattern: /^\S.*?\(\d+(?:,\d+)?\)\s?: (?:fatal )?error\b/ },
  { pattern: /^\S+:\d+:\d+ - error\b/ },
  { pattern: /^error(?:\[[A-Z]\d+\])?: /, follow: POINTER },
  { pattern: /^\S+\.go:\d+:\d+: / },
  { pattern: /^\[ERROR\] |^\[error\] |^e: / },
  {
    pattern:
      /undefined reference to|undefined symbols?\b|^(?:\S*\/)?(?:ld|collect2)\b.*(?:error|cannot find|exit status)/,
  },
  { pattern: /^\s*✘ \[ERROR\] |^ERROR in |^Module not found: / },
  { pattern: /^\s+\d+:\d+\s+error\s/ },
  // Exceptions and panics
  { pattern: /^Traceback \(most recent call last\):/ },
  {
    pattern:
      /^(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w$]*[.:]+)*[A-Za-z_]*(?:Error|Exception)(?: \[\w+\])?(?:: |$)/,
    follow: STACK_FRAME,
  },
  { pattern: /^\s+(?:Assertion|Type|Reference|Syntax|Range|Test(?:ing)?)(?:\w*)Error(?: \[\w+\])?: / },
  { pattern: /^(?:Exception in thread "|Caused by: )/, follow: STACK_FRAME },
  { pattern: /^(?:panic: |fatal error: )/ },
  { pattern: /^thread '.*' (?:\(\d+\) )?panicked at /, follow: NEXT_LINE },
  {
    pattern:
      /\b(?:Unhandled|Uncaught) (?:exception|error|promise rejection|rejection)\b|^\[?UnhandledPromiseRejection/i,
  },
  { pattern: /\bAssertion\b.*\bfailed\b|^assertion failed/ },
  // Test runners
  { pattern: /^E {3}\S?/ },
  { pattern: /^(?:FAILED|ERROR) \S+(?:::|\.py)|^={3,} .*\b\d+ (?:failed|errors?)\b.* ={3,}$/ },
  { pattern: /^(?:FAIL|ERROR): \w+ \(/ },
  { pattern: /^FAILED \((?:failures|errors)=\d+/ },
  { pattern: /^\s*(?:FAIL|❯|×|✗|✖|✕)\s+\S.*(?:\.[cm]?[jt]sx?\b| > | › )/ },
  { pattern: /^\s+● \S/ },
  { pattern: /^\s*[×✗✖✕✘] \S/ },
  { pattern: /^\s*not ok \d+/ },
  { pattern: /^\s+[1-9]\d* failing\b|^\s*Tests:?\s+.*\b[1-9]\d* failed\b|^# fail [1-9]/ },
  { pattern: /^test .+ \.\.\. FAILED$|^test result: FAILED|^---- .+ stdout ----$/ },
  { pattern: /^\s*--- FAIL: |^FAIL\t|^FAIL$|^\s+\w+_test\.go:\d+: / },
  { pattern: /^\[ {2}FAILED {2}\] / },
  // Package managers and builds
  { pattern: /^npm (?:ERR!|error) \S|\bERR_PNPM_\w+|^error Command failed|^ELIFECYCLE/ },
  {
    pattern: /^\w*make(?:\[\d+\])?: \*\*\* |^FAILED: |^ninja: (?:error|build stopped)|^CMake Error/,
    follow: { pattern: /^ {2}\S/, lines: 1 },
  },
  {
    pattern:
      /^FAILURE: Build failed|^> Task .* FAILED|^BUILD FAILED|^\* What went wrong:|^ERROR: (?:failed to|Could not|No matching|Cannot)/,
    follow: NEXT_LINE,
  },
  // Programs and the shell
  { pattern: /^fatal: / },
  {
    pattern:
      /: (?:command )?not found$|: No such file or directory$|: Permission denied$|: cannot (?:access|open|stat|create)\b/,
  },
  { pattern: /\bSegmentation fault\b|\bcore dumped\b|^Killed$|^Aborted\b|\bBus error\b|AddressSanitizer:/ },
  { pattern: /\b[Oo]ut of memory\b|\boom-kill|Cannot allocate memory|heap out of memory/ },
];

/** May mean anything: a log line of a service, a counter, a file's name. */
export const WEAK: readonly FailurePattern[] = [
  { pattern: /\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|FAILED|FAILURE)\b/ },
  { pattern: /(?:^|\s)(?:[Ee]rror|[Ff]atal|[Ff]ailed|[Ff]ailure|[Ee]xception)(?:: | to )/ },
];

/** Good news in the words of bad news: `0 errors`, `no failures`, `failed: 0`. */
export const HARMLESS: RegExp =
  /\b(?:0|no|without) (?:\w+ )?(?:errors?|failures?|failed|failing)\b|\b(?:errors?|failures?|failed)\b ?[:=] ?(?:0|none|null|false)\b/i;
