import {
  ASSERTION_DETAILS,
  COMPILER_CONTEXT,
  type FailurePattern,
  FILE_ABOVE,
  INDENTED_LINES,
  NEXT_LINE,
  NEXT_LINES,
  SOURCE_POINTER,
} from './failure-pattern.ts';

/** Failures of compilers, linkers and type checkers. */
export const COMPILER_PATTERNS: readonly FailurePattern[] = [
  {
    pattern: /^\S.*?:\d+(?::\d+)?:? (?:fatal |internal compiler |syntax )?error\b/,
    words: 'error',
    before: COMPILER_CONTEXT,
    follow: SOURCE_POINTER,
  },
  {
    pattern: /^\S.*?\(\d+(?:,\d+)*\)\s?: (?:fatal )?error\b/,
    words: 'error',
    follow: { pattern: /^ {2,}\S/, lines: 2, within: 2 },
  },
  { pattern: /^\s*\S+:\d+:\d+ - error\b/, words: 'error', follow: SOURCE_POINTER },
  { pattern: /^\s*error(?:\[[A-Z]+\d+\])?: /, words: 'error: |error[', follow: SOURCE_POINTER },
  { pattern: /\b(?:error|ERROR) [A-Z]{1,5}\d{3,5}: /, words: 'error ' },
  {
    pattern: /^(?:vet: )?\S+\.go:\d+:\d+: /,
    words: '.go:',
    before: { pattern: /^# /, lines: 1, within: 12 },
  },
  {
    pattern:
      /undefined (?:reference to|symbols? (?:for|:))|multiple definition of|relocation (?:truncated|R_\w+)|^(?:\S*\/)?(?:ld|lld|ld\.\w+|collect2|link)(?:: | ).*(?:error|cannot find|undefined|exit status|duplicate symbol)/,
    words: 'undefined |multiple def|relocation |ld: |lld: |collect~|link',
    before: { pattern: /: in function |: In function /, lines: 1, within: 1 },
  },
  { pattern: /^PHP (?:Parse|Fatal|Recoverable fatal) error:|^(?:Parse|Fatal) error: /i, words: 'error:' },
  {
    pattern: /\bsyntax error(?:,|:| at | near | in |$)/i,
    words: 'syntax error',
    follow: NEXT_LINE,
  },
  { pattern: /^\S+\.(?:lua|sql|awk|tcl):\d+: \S/, words: '.lua:|.sql:|.awk:|.tcl:' },
  {
    pattern: /^Error (?:in|loading|building|compiling|while) \S|^Error: \S/,
    words: '\nerror',
    follow: NEXT_LINE,
  },
  { pattern: /^e: (?:file:|\/|\w:)|^\s*error - \S/, words: '\ne: |error - ' },
];

/** Failures of build tools and bundlers. */
export const BUILD_PATTERNS: readonly FailurePattern[] = [
  {
    pattern: /^(?:\w*make|scons|gmake)(?:\[\d+\])?: \*\*\* |^make(?:\[\d+\])?: .*Error \d/,
    words: '*** |\n***|error ~',
  },
  {
    pattern:
      /^FAILED: |^ninja: (?:error|build stopped|fatal)|^(?:\S+: )?CMake Error|^-- Configuring incomplete/,
    words: 'failed: |ninja: |cmake error|incomplete, err',
    follow: INDENTED_LINES,
  },
  {
    pattern:
      /^configure: error: |^\S+\.build:\d+:\d+: ERROR: |^ERROR: \S+\/BUILD\S*:\d+|^checking .*\.\.\. (?:failed|not found|no \()/,
    words: 'configure: error| error: |error: |checking ',
  },
  { pattern: /^\[ERROR\] \S|^\[error\] \S|^\[FATAL\] /, words: '[error]|[fatal]', run: 14 },
  {
    pattern:
      /^FAILURE: Build |^> Task .* FAILED|^BUILD FAILED|^\* What went wrong:|^Execution failed for task |^\*\* (?:BUILD|TEST) FAILED|^Build FAILED/,
    words: 'failure: build| failed|\nbuild failed|what went wrong|execution fail',
    follow: { pattern: /\S/, lines: 3, within: 4 },
  },
  {
    pattern:
      /^\s*✘ \[ERROR\] |^ERROR in |^Module (?:not found|build failed|parse failed)|^\[!\] |^🚨 |^error during build:|^\[vite[\]:]|^\s*[x✗] Build failed/,
    words: '[error]|error in|\nmodule |[!] |🚨|error during|[vite|build failed',
    follow: NEXT_LINES,
  },
  {
    pattern:
      /\b(?:Can't|Cannot|Could not|could not|Failed to|failed to|Unable to|unable to) (?:resolve|find module|find package|load|parse|compile|build|transform|import|solve|locate|start|connect|fetch|pull|push|download|install|open|read|create|execute|run|get|determine|satisfy)\b/,
    words: "can't |cannot |could not |failed to |unable to ",
    follow: NEXT_LINE,
  },
  {
    pattern:
      /\b(?:cannot|could not|couldn't) be (?:found|resolved|loaded|built|satisfied)\b|\bdoes not provide an export\b|\bis not exported (?:by|from)\b|\bhas no exported member\b|^No rule to make|: No rule to make/,
    words: "cannot be|could not be|couldn't be|provide an exp|not exported|no exported|no rule to",
  },
  {
    pattern:
      /^\s*(?:NX|lerna|turbo|nx)\s+(?:ERR!|ERROR|Ran target.*failed)|^\s*✖ {1,4}nx run|^.*: ERROR: command finished with error|^Failed: {4}\S/,
    words: 'err!|error|ran target|nx run|failed: ',
    follow: NEXT_LINE,
  },
  {
    pattern:
      /^#\d+ (?:ERROR|\d+\.\d+ .*(?:error|Error|ERROR|fatal|not found))|^executor failed|^failed to solve|^The command '.*' returned a non-zero/,
    words: 'error|fatal|not found|executor fail|failed to solve|non-zero',
  },
  {
    pattern: /^ > \[.*\]? RUN .*:$|^Dockerfile:\d+$|^>>> RUN /,
    words: '] run |dockerfile:|>>> ',
    rank: 'maybe',
  },
  {
    pattern:
      /^\S+\.(?:dart|gradle|kts?|scala|hs|swift|zig|nim|vue|svelte|s?css|less|html?):\d+(?::\d+)?:? .*\b(?:[Ee]rror|failed|undefined|expected)\b/,
    words: 'error|failed|undefined|expected',
  },
];

const CODE_LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'i', 'n', 'p', 'r', 's', 't', 'u', 'w', 'dl', 'sc'];

/** Findings of linters and formatters. */
export const LINTER_PATTERNS: readonly FailurePattern[] = [
  { pattern: /^\s+\d+:\d+\s+(?:error|✖)\s/, words: 'error |error\t|✖ ', before: FILE_ABOVE },
  {
    pattern: /^\s+\d+:\d+\s+(?:warning|warn|⚠)\s/,
    words: 'warn|⚠ ',
    rank: 'warning',
    before: FILE_ABOVE,
  },
  {
    pattern: /^\S+:\d+:\d+ (?:lint|assist|parse|format|suppressions|organizeImports)\/?\S* /,
    words: ' lint/| assist/| parse | format | suppress| organize',
    follow: NEXT_LINES,
  },
  { pattern: /^\S+? (?:lint|format|check|ci|organizeImports) ━/, words: ' ━━', follow: NEXT_LINES },
  {
    pattern: /^\S+?:\d+(?::\d+)?:? \[?[A-Z]{1,4}\d{2,4}\b/,
    words: CODE_LETTERS.map((letter) => `: ${letter}~|: [${letter}~|~ ${letter}~`).join('|'),
    common: true,
  },
  {
    pattern: /^[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S/,
    words: CODE_LETTERS.map((letter) => `\n${letter}~`).join('|'),
    common: true,
    follow: SOURCE_POINTER,
  },
  {
    pattern: /^\S+?:\d+:\d+: (?:\[\w+\] )?[CWEFRI]: /,
    words: ': c: |: w: |: e: |: f: |: r: |: i: ',
    common: true,
  },
  { pattern: /^In \S+ line \d+:$/, words: ' line ~', follow: { pattern: /\S/, lines: 3, within: 4 } },
  {
    pattern: /^\s*(?:×|✖|x|⚠|!) [\w@/-]+\([\w/-]+\): /,
    words: '): ',
    common: true,
    follow: SOURCE_POINTER,
  },
  { pattern: /^\[(?:warn|error|ERROR|WARN)\] (?:\/|\S+\.\w+)/, words: '[warn] |[error] ' },
  {
    pattern: /^would reformat |^Would reformat: |^error: cannot format |^--- .*\t.*\d$/,
    words: 'would reformat|cannot format',
  },
  {
    pattern: /^\s+\d+:\d+ +(?:error|warning) +\S.* +\([\w-]+\)$/,
    words: 'error|warning',
    before: FILE_ABOVE,
  },
  {
    pattern: /^\s*\d+ +(?:Parameter|Method|Property|Variable|Call to|Access to|Function|Class|Undefined)\b/,
    words: 'parameter|method|property|variable|call to|access to|function|class|undefined',
    common: true,
    rank: 'maybe',
  },
];

/** Failures of package managers, with package, version and reason. */
export const PACKAGE_MANAGER_PATTERNS: readonly FailurePattern[] = [
  { pattern: /^npm (?:ERR!|error) (?!A complete log|\s*$)/, words: 'npm err', run: 24 },
  {
    pattern: /\bERR_PNPM_\w+|^\s*ELIFECYCLE\b|^\u2009?\s?ERROR\u2009? /,
    words: 'err_pnpm|elifecycle|error',
    follow: NEXT_LINES,
  },
  {
    pattern: /^error (?:Command failed|An unexpected|Couldn't|\S+@\S+:|\S.*: )/,
    words: '\nerror ',
    follow: NEXT_LINE,
  },
  {
    pattern: /^(?:➤ )?YN\d{4}: .*(?:✘|✖|error|[Ff]ailed|can't be|couldn't)|^➤ YN0001: |^➤ YN0009: /,
    words: '➤ yn|yn00',
  },
  {
    pattern: /^Lockfile |\bERESOLVE\b|\bETARGET\b|\bENOENT\b|\bEUSAGE\b|\bEINTEGRITY\b/,
    words: 'lockfile |eresolve|etarget|enoent|eusage|eintegrity',
  },
  {
    pattern: /^\s*ERROR: (?!\[\w)/,
    words: 'error: ',
    run: 6,
    follow: { pattern: /^\s+\S/, lines: 2, within: 3 },
  },
  { pattern: /^\s*×\s+\S|^\s*╰─>/, words: ' × |\n× |╰─>', follow: INDENTED_LINES },
  {
    pattern:
      /^E: |^dpkg: (?:error|dependency problems|warning: while)|^Errors were encountered while processing|^ \S+ : (?:Pre)?(?:Depends|Conflicts|Breaks): |^The following packages have unmet/,
    words: '\ne: |dpkg: |errors were|depends: |conflicts: |breaks: |have unmet',
    run: 6,
    follow: INDENTED_LINES,
  },
  {
    pattern:
      /^Could not find (?:a version|gem|any|artifact)|^No matching (?:distribution|package|version)|^An error occurred while installing|^Your requirements could not be resolved|^\s+Problem \d+$|^\s+- Root composer\.json/,
    words: 'could not |no matching|an error occ|requirements|problem ~|root composer',
    follow: NEXT_LINES,
  },
  {
    pattern:
      /^go: .*(?:error|not found|unknown revision|cannot find|no matching|invalid|missing|unrecognized|requires|reading )/,
    words: '\ngo: ',
  },
  {
    pattern: /^(?:error|ERROR): (?:failed to|could not|no matching|cannot|unable to|package `)/,
    words: 'error: ',
    follow: { pattern: /\S/, lines: 5, within: 8 },
  },
  {
    pattern: /^(?:required by|location searched|perhaps you meant|candidate versions found)/,
    words: 'required by|location sea|perhaps you|candidate ver',
  },
  {
    pattern:
      /^(?:SolverProblemError|UnsatisfiableError|PackagesNotFoundError|ResolutionImpossible)|^Because .* (?:depends on|requires) .*,|^So, because |version solving failed/,
    words: 'problemerror|unsatisfiable|notfounderror|impossible|\nbecause |so, because|solving failed',
    run: 8,
  },
  {
    pattern:
      /^warning .*(?:incorrect|unmet) peer|^npm (?:warn|WARN) (?:deprecated|ERESOLVE|peer|EBADENGINE|old lockfile|config)/,
    words: 'warn',
    rank: 'warning',
  },
];

const NUMBERED = { pattern: /\S/, lines: 5, within: 9 } as const;

/** Failed tests, with expected and actual values. */
export const TEST_RUNNER_PATTERNS: readonly FailurePattern[] = [
  // pytest, unittest, doctest, nose
  {
    pattern: /^E {2,}\S/,
    words: '\ne  ',
    run: 8,
    follow: { pattern: /^\S+\.py:\d+: |^\S+\.pyx?:\d+$/, lines: 1, within: 12 },
  },
  { pattern: /^(?:FAILED|ERROR) \S+(?:::|\.py)/, words: '\nfailed |\nerror ' },
  { pattern: /^_{3,} .* _{3,}$|^_{2,} ERROR /, words: '____' },
  {
    pattern: /^(?:FAIL|ERROR): \w+ \(/,
    words: '\nfail: |\nerror: ',
    follow: { pattern: /^\w*(?:Error|Exception|Failure)\b|^ {2}File "/, lines: 3, within: 14 },
  },
  { pattern: /^Failed example:$/, words: 'failed example', follow: { pattern: /\S/, lines: 5, within: 6 } },
  // vitest, jest, mocha, jasmine, ava, bun, deno, playwright, node:test
  {
    pattern: /^\s*(?:FAIL|❯)\s+(?:\|\S+\|\s+)?(?!.*:\d+:\d+)\S.*(?:\.[cm]?[jt]sx?\b| > | › )/,
    words: 'fail|❯ ',
  },
  { pattern: /^\s+● (?!Console)\S/, words: '● ', follow: { pattern: /\S/, lines: 9, within: 22 } },
  { pattern: /^\s*(?:[×✗✖✕✘]|\(fail\)) +\S/, words: ' × |\n× |✗ |✖ |✕ |✘ |(fail)' },
  { pattern: /^\s{2,}\d+\) \S/, words: '~) ', common: true, follow: NUMBERED },
  {
    pattern: /^\s*not ok \d+/,
    words: 'not ok ',
    before: { pattern: /^\s*# (?!tests |pass |fail |Looks )\S/, lines: 1, within: 12 },
    follow: {
      pattern:
        /^\s*#|^\s+(?:error|location|expected|actual|message|at|operator|failureType|found|wanted|got|severity): |^\s+(?:---|'.*')?$/,
      lines: 10,
      within: 24,
    },
  },
  { pattern: /^Expected (?!:)\S.* to (?:be|equal|have|contain|match|throw)\b/, words: '\nexpected ' },
  // cargo test, nextest, go test, gotestsum
  {
    pattern: /^test .+ \.\.\. FAILED$|^---- .+ stdout ----$/,
    words: 'failed|stdout ---',
  },
  { pattern: /^ {4}\w+(?:::\w+)+$/, words: '::', common: true },
  {
    pattern: /^\s+(?:FAIL|TIMEOUT|SIG\w+|ABORT) \[ *\d/,
    words: 'fail [|timeout [|sigsegv [|sigabrt [|abort [',
  },
  {
    pattern: /^\s*--- FAIL: |^=== (?:FAIL|Failed)/,
    words: '--- fail|=== fail',
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
  { pattern: /^FAIL\t\S|^FAIL$/, words: '\nfail' },
  { pattern: /^\s+\w[\w-]*_test\.go:\d+: /, words: '_test.go:' },
  // JUnit under maven, gradle, ant; TestNG
  { pattern: /<<< (?:FAILURE|ERROR)!/, words: '<<< ', follow: { pattern: /\S/, lines: 3, within: 4 } },
  { pattern: /^\S.* > .* FAILED$/, words: ' failed', follow: INDENTED_LINES },
  { pattern: /^\[ERROR\] {3}\S+(?:\.|:)\S*:?\d*/, words: '[error]   ' },
  // ctest, googletest, catch2, doctest, boost
  {
    pattern: /^\s*\d+\/\d+ Test +#\d+: .*(?:\*{3}|Failed|Exception|Timeout|Not Run)/,
    words: '*** |\n***|failed|exception|timeout|not run',
  },
  {
    pattern: /^The following tests (?:FAILED|did not run):/,
    words: 'the following tests',
    follow: { pattern: /^\s*\d+ - /, lines: 12, within: 12 },
  },
  { pattern: /^\[ {2}FAILED {2}\] /, words: '[  failed' },
  {
    pattern: /^\S+:\d+: (?:Failure|FAILED)\b|^\S+\(\d+\): FAILED:|^\S+:\d+: FAILED:/,
    words: 'failure|failed',
    follow: NEXT_LINES,
  },
  { pattern: /^\S+\(\d+\): (?:fatal )?error: in "|^TEST CASE: {2}/, words: 'error: in|test case: ' },
  // prove and everything that writes Test::More diagnostics, bats
  {
    pattern: /^# {3}Failed (?:\(TODO\) )?test /,
    words: '#   failed',
    before: { pattern: /^not ok /, lines: 1, within: 2 },
    follow: { pattern: /^# +\S/, lines: 5, within: 6 },
  },
  {
    pattern: /Failed \d+\/\d+ subtests|Dubious, test returned|^\s+Failed tests?: {2}|Non-zero exit status: /,
    words: 'failed |dubious|non-zero',
  },
  {
    pattern: /^# \((?:in|from) .*, line \d+\)|^# {3}`.*' failed/,
    words: ", line #|' failed",
    follow: { pattern: /^# /, lines: 3, within: 4 },
  },
  // rspec, minitest, phpunit, dotnet, exunit
  {
    pattern: /^\s+Failure\/Error: /,
    words: 'failure/error',
    follow: { pattern: /\S/, lines: 6, within: 9 },
  },
  { pattern: /^rspec \S+:\d+/, words: '\nrspec ' },
  { pattern: /^\s*\d+\) (?:Failure|Error|Skipped):?$/, words: 'failure|error', follow: NEXT_LINES },
  { pattern: /^\d+\) \S+::\S+/, words: '~) ', common: true, follow: NUMBERED },
  {
    pattern: /^Failed asserting that /,
    words: 'failed asserting',
    follow: { pattern: /\.php:\d+$/, lines: 1, within: 8 },
  },
  { pattern: /^\s+Failed \S+ \[[<\d]/, words: 'failed ', follow: NUMBERED },
  // bazel, karma, deno, robot
  {
    pattern: /^\/\/\S+ +(?:FAILED|TIMEOUT|NO STATUS|FLAKY)/,
    words: 'failed|timeout|no status|flaky',
  },
  {
    pattern: /^\S.* \.\.\. (?:FAILED|FAIL|ERROR)(?: \(|$)|^[A-Z]\w+ [\d.]+ \(\w.*\) .* FAILED$|\| FAIL \|$/,
    words: '... fail|... error| failed| fail ',
    follow: NEXT_LINE,
  },
  {
    pattern: /^\s*(?:Failures|Failed Tests|Failed Suites|Failing tests|failing tests):?(?: \d+)?$/,
    words: 'failures|failed tests|failed suites|failing tests',
    follow: ASSERTION_DETAILS,
  },
];
