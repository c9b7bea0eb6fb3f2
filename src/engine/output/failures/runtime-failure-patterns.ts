import {
  ASSERTION_DETAILS,
  type FailurePattern,
  NEXT_LINE,
  NEXT_LINES,
  OWN_STACK_FRAMES,
} from './failure-pattern.ts';

/** Failures reported by the shell, the system and the kernel. */
export const SHELL_PATTERNS: readonly FailurePattern[] = [
  {
    pattern:
      /: (?:command )?not found$|: No such file or directory\b|: Permission denied\b|: (?:cannot|can't|can not) (?:access|open|stat|create|remove|execute|find|read|write|touch|overwrite|move|copy)\b|^\S+: (?:line )?\d+: .*: (?:not found|bad substitution|unbound variable|ambiguous redirect|syntax error)/,
    words: "not found|no such file|denied|cannot |can't |can not|bad subst|unbound|ambiguous|syntax error",
  },
  { pattern: /unexpected (?:token|end of file|EOF)\b/, words: 'unexpected ' },
  {
    pattern:
      /\bSegmentation fault\b|\bcore dumped\b|^(?:\S+: )?(?:line \d+: +\d+ )?(?:Killed|Aborted|Terminated|Bus error|Illegal instruction|Floating point exception|Trace\/breakpoint trap|Alarm clock)\b/i,
    words:
      'segmentation|core dumped|killed|aborted|terminated|bus error|illegal inst|floating point|breakpoint trap|alarm clock',
  },
  {
    pattern:
      /\b[Oo]ut of memory\b|\boom[-_]kill|\bOOMKilled\b|Cannot allocate memory|heap out of memory|\bOutOfMemoryError\b|\bstd::bad_alloc\b|memory allocation of \d+ bytes failed|memory exhausted|\bENOMEM\b|Killed process \d+|insufficient memory/,
    words: 'memory|oom-kill|oom_kill|oomkill|bad_alloc|enomem|killed process',
  },
  {
    pattern:
      /\b(?:No space left on device|Too many open files|Read-only file system|Operation not permitted|Disk quota exceeded|Argument list too long|Device or resource busy|Text file busy|Input\/output error|Broken pipe|Stale file handle)\b|\b(?:ENOSPC|EMFILE|EROFS|EPERM|EACCES|EPIPE|EBUSY)\b/,
    words:
      'no space|too many|read-only|operation not|quota|argument list|resource busy|file busy|input/output|broken pipe|stale file|enospc|emfile|erofs|eperm|eacces|epipe|ebusy',
  },
  {
    pattern:
      /\b(?:Address already in use|Connection (?:refused|reset|timed out|closed by)|Could not resolve host|Name or service not known|name resolution|No route to host|Network is unreachable|Host key verification failed|certificate (?:verify failed|has expired|signed by unknown))\b|\b(?:EADDRINUSE|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/i,
    words:
      'address already|connection |resolve host|service not|name resol|no route|network is|host key|certificate|eaddrinuse|econn|etimedout|enotfound|eai_again|ehostunreach',
  },
  {
    pattern:
      /^curl: \(\d+\) |^wget: |\bERROR \d{3}: |^ssh: |^rsync(?: error)?: |^scp: |^tar: .*(?:Error|Cannot)/,
    words: 'curl: (|wget: |error |ssh: |rsync|scp: |tar: ',
  },
  {
    pattern:
      /(?:exit(?:ed)?(?: with)?(?: non-zero)?|returned(?: non-zero)?|returned an?)[ :]+(?:(?:exit )?(?:code|status)[ :=]*)(?:-?[1-9]\d*|'?-?[1-9]\d*'?)\b|\bexit code: [1-9]|did not complete successfully|terminated by signal|killed by signal|\bsignal: (?:SIG\w+|[1-9])|non-zero (?:exit )?(?:code|status)/i,
    words: 'exit|returned|did not complete|by signal|signal: |non-zero',
  },
  {
    pattern:
      /^\S+: (?:missing operand|invalid option|unrecognized option|illegal option|unknown option|fatal)\b/,
    words: 'missing operand|invalid option|recognized opt|illegal opt|unknown option|: fatal',
  },
  {
    pattern: /\b(?:timed out|timeout (?:of|after|exceeded)|deadline exceeded|Timeout(?:Error)?:)/i,
    words: 'timed out|timeout|deadline exc',
    rank: 'failure',
  },
];

const PYTHON_PLACE = {
  pattern: /^\s+File ".*", line \d+|^ {4,}\S|^\s+[\^~]+\s*$/,
  lines: 3,
  within: 3,
} as const;

/** Exceptions, panics and crashes reported by language runtimes. */
export const STACK_TRACE_PATTERNS: readonly FailurePattern[] = [
  { pattern: /^\s*Traceback \(most recent call last\):/, words: 'traceback' },
  {
    // Python: the last frame is directly before the line with the exception.
    pattern:
      /^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Expired|NotFound)|[A-Z]\w*Fault)(?:: |$)/,
    words: 'error|exception|warning|exit|interrupt|iteration|expired|notfound|fault',
    before: PYTHON_PLACE,
    follow: ASSERTION_DETAILS,
  },
  {
    pattern:
      /^(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w$]*[.:/]+)*[A-Za-z_]*(?:Error|Exception|Failure)(?: \[\w+\])?(?:: |$)/,
    words: 'error|exception|failure',
    before: { pattern: /^(?:file:\/\/)?\/\S+:\d+$|^\s*\^+$|^\s+throw |^\s*[\^~]+/, lines: 4, within: 5 },
    follow: ASSERTION_DETAILS,
  },
  {
    pattern:
      /^[\s→│|]{1,14}(?:\d+\) )?(?:Uncaught )?(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure)(?: \[\w+\])?(?:: | at |$)/,
    words: 'error|exception|failure',
    follow: ASSERTION_DETAILS,
  },
  {
    pattern: /^\s*(?:Exception in thread |Caused by: |Suppressed: |Wrapped by: )/,
    words: 'exception in|caused by|suppressed|wrapped by',
    follow: OWN_STACK_FRAMES,
  },
  { pattern: /^Caused by:$/, words: 'caused by', follow: NEXT_LINE },
  {
    pattern: /^\s*(?:panic: |fatal error: |SIG[A-Z]+: |runtime error: |http: panic )/,
    words:
      'panic|fatal error|runtime error|sigsegv|sigabrt|sigbus|sigfpe|sigill|sigquit|sigkill|sigterm|sigpipe',
    follow: { pattern: /^\s+(?!\/usr\/).*\.go:\d+|^goroutine \d+ \[|^\[signal /, lines: 4, within: 24 },
  },
  {
    pattern: /^\s*thread '.*' (?:\(\d+\) )?panicked at |^thread \d+ panic: /,
    words: 'panic',
    follow: { pattern: /\S/, lines: 3, within: 4 },
  },
  {
    pattern:
      /\b(?:Unhandled|Uncaught) (?:\w+ )?(?:exception|error|promise rejection|rejection)\b|^\[?UnhandledPromiseRejection|triggerUncaughtException/i,
    words: 'unhandled|uncaught',
    follow: NEXT_LINE,
  },
  { pattern: /^\s*terminate called |^terminating (?:due to|with) /, words: 'terminat', follow: NEXT_LINE },
  {
    pattern:
      /\b(?:Assertion|assertion)\b.*\b(?:failed|FAILED)\b|^ASSERT(?:ION)?[ :_]|\bassert(?:ion)? failed\b/,
    words: 'assert',
    follow: ASSERTION_DETAILS,
  },
  {
    pattern: /(?:Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer: |: runtime error: /,
    words: 'sanitizer|runtime error',
    follow: { pattern: /^\s+#[0-3] .*(?::\d+|\+0x)/, lines: 3, within: 8 },
  },
  {
    pattern:
      /^==\d+== *(?:Invalid |Conditional jump|Use of uninit|Syscall param|Process terminating|Source and dest|Mismatched free|ERROR SUMMARY: [1-9]|.*definitely lost in )/,
    words:
      'invalid |conditional|use of uninit|syscall param|process term|source and|mismatched|error summary|definitely',
    follow: { pattern: /^==\d+== +(?:at|by) 0x.*:\d+\)/, lines: 3, within: 6 },
  },
  {
    pattern:
      /^\*\*\* .*(?:detected|terminated)|double free or corruption|free\(\): invalid|malloc\(\): |munmap_chunk\(\)|corrupted (?:size|double-linked)/,
    words: '*** |\n***|double free|free(): |malloc(): |munmap_chunk|corrupted ',
  },
  {
    pattern: /^#\d+ +(?:0x[\da-f]+ in )?\S.* at \S+:\d+$/,
    words: ' at ',
    common: true,
    rank: 'maybe',
  },
  {
    pattern: /\.(?:rb|rake|gemspec):\d+:in .*: .*\((?:\w+::)*\w+(?:Error|Exception|Fault|Interrupt|Exit)?\)$/,
    words: '.rb:|.rake:|.gemspec:',
    follow: OWN_STACK_FRAMES,
  },
  {
    pattern: /^\s*\*\* \((?:\w+\.)*\w+\) |^\*\* exception \w+: /,
    words: '** (|** exception',
    follow: NEXT_LINE,
  },
  { pattern: /^\S.* at \S+ line \d+\.$/, words: ' line ~', follow: NEXT_LINE },
  {
    pattern: /^(?:Fatal error: exception |Uncaught exception: )|^\w+: .*\bCallStack\b/,
    words: 'exception|callstack',
  },
];

/** Failures of git, containers, clusters and deployment tools. */
export const SERVICE_PATTERNS: readonly FailurePattern[] = [
  {
    pattern: /^(?:fatal|remote: (?:error|fatal|ERROR)): /,
    words: 'fatal: |remote: ',
    follow: { pattern: /^(?:remote|hint): |^\t/, lines: 2, within: 3 },
  },
  {
    pattern:
      /^CONFLICT \(|^Automatic merge failed|^\s*! \[(?:remote )?rejected\]|^error: (?:failed to push|Your local changes|The following|pathspec|could not apply|patch failed|cannot)|^Auto packing.*error|^needs merge/,
    words: 'conflict (|automatic merge|rejected]|error: |needs merge',
    follow: { pattern: /^\t\S|^hint: /, lines: 4, within: 6 },
  },
  {
    pattern:
      /^Error response from daemon: |^(?:docker|podman): |^Error: (?:INSTALLATION|UPGRADE) FAILED|^Error from server|^The \w+ ".*" is invalid|^error: (?:error|unable|the server|no |timed out)|^Unable to connect to the server/,
    words: 'error response|docker: |podman: | failed|error from|is invalid|error: |unable to',
    follow: NEXT_LINE,
  },
  {
    pattern:
      /\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|CreateContainer(?:Config)?Error|RunContainerError|InvalidImageName|FailedScheduling|FailedMount|Unhealthy|BackOff|Evicted|ProgressDeadlineExceeded)\b/,
    words:
      'backoff|errimage|oomkilled|containererror|containerconfig|invalidimage|failedsched|failedmount|unhealthy|evicted|deadlineexc',
  },
  { pattern: /^\s+Warning {2,}\w+ {2,}/, words: 'warning  ', rank: 'failure' },
  {
    pattern: /^[│╷]? ?(?:│ )?Error: \S/,
    words: 'error: ',
    follow: { pattern: /^[│|] +(?:on \S+ line|\d+:|\S)/, lines: 4, within: 8 },
  },
  {
    pattern: /^fatal: \[[^\]]+\]: |^failed: \[[^\]]+\] |^\S+ +: ok=.*(?:unreachable|failed)=[1-9]/,
    words: 'fatal: [|failed: [|failed=~|unreachable=~',
    follow: NEXT_LINE,
  },
  { pattern: /^TASK \[.*\] \*+$/, words: '\ntask [', rank: 'maybe' },
  {
    pattern: /\bAn error occurred \(|\bAccessDenied\b|\b(?:Unauthorized|Forbidden)\b|\bpermission denied\b/,
    words: 'an error occ|accessdenied|unauthorized|forbidden|permission den',
    rank: 'maybe',
  },
  {
    pattern: /^(?:ERROR|FATAL|PANIC): {1,2}\S|\bERROR \d{4} \(\w{5}\)|^psql:.*(?:ERROR|FATAL)|^ORA-\d+/,
    words: 'error|fatal|panic: |ora-~',
    follow: NEXT_LINES,
  },
  {
    pattern:
      /\b(?:deadlock detected|duplicate key value|violates (?:foreign key|unique|check|not-null) constraint|relation ".*" does not exist|constraint failed)\b/,
    words: 'deadlock|duplicate key|violates |does not exist|constraint fail',
  },
];
