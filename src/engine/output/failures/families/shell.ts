import type { FailurePattern } from '../pattern.ts';

/** The shell, the system and what the kernel does to programs. */
export const SHELL: readonly FailurePattern[] = [
  {
    pattern:
      /: (?:command )?not found$|: No such file or directory\b|: Permission denied\b|: (?:cannot|can't|can not) (?:access|open|stat|create|remove|execute|find|read|write|touch|overwrite|move|copy)\b|^\S+: (?:line )?\d+: .*: (?:not found|bad substitution|unbound variable|ambiguous redirect|syntax error)/,
    words: [
      'not found',
      'no such file',
      'denied',
      'cannot ',
      "can't ",
      'can not',
      'bad subst',
      'unbound',
      'ambiguous',
      'syntax error',
    ],
  },
  { pattern: /unexpected (?:token|end of file|EOF)\b/, words: ['unexpected '] },
  {
    pattern:
      /\bSegmentation fault\b|\bcore dumped\b|^(?:\S+: )?(?:line \d+: +\d+ )?(?:Killed|Aborted|Terminated|Bus error|Illegal instruction|Floating point exception|Trace\/breakpoint trap|Alarm clock)\b/i,
    words: [
      'segmentation',
      'core dumped',
      'killed',
      'aborted',
      'terminated',
      'bus error',
      'illegal inst',
      'floating point',
      'breakpoint trap',
      'alarm clock',
    ],
  },
  {
    pattern:
      /\b[Oo]ut of memory\b|\boom[-_]kill|\bOOMKilled\b|Cannot allocate memory|heap out of memory|\bOutOfMemoryError\b|\bstd::bad_alloc\b|memory allocation of \d+ bytes failed|memory exhausted|\bENOMEM\b|Killed process \d+|insufficient memory/,
    words: ['memory', 'oom-kill', 'oom_kill', 'oomkill', 'bad_alloc', 'enomem', 'killed process'],
  },
  {
    pattern:
      /\b(?:No space left on device|Too many open files|Read-only file system|Operation not permitted|Disk quota exceeded|Argument list too long|Device or resource busy|Text file busy|Input\/output error|Broken pipe|Stale file handle)\b|\b(?:ENOSPC|EMFILE|EROFS|EPERM|EACCES|EPIPE|EBUSY)\b/,
    words: [
      'no space',
      'too many',
      'read-only',
      'operation not',
      'quota',
      'argument list',
      'resource busy',
      'file busy',
      'input/output',
      'broken pipe',
      'stale file',
      'enospc',
      'emfile',
      'erofs',
      'eperm',
      'eacces',
      'epipe',

      'ebusy',
    ],
  },
  {
    pattern:
      /\b(?:Address already in use|Connection (?:refused|reset|timed out|closed by)|Could not resolve host|Name or service not known|name resolution|No route to host|Network is unreachable|Host key verification failed|certificate (?:verify failed|has expired|signed by unknown))\b|\b(?:EADDRINUSE|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/i,
    words: [
      'address already',
      'connection ',
      'resolve host',
      'service not',
      'name resol',
      'no route',
      'network is',
      'host key',
      'certificate',
      'eaddrinuse',
      'econn',
      'etimedout',
      'enotfound',
      'eai_again',
      'ehostunreach',
    ],
  },
  {
    pattern:
      /^curl: \(\d+\) |^wget: |\bERROR \d{3}: |^ssh: |^rsync(?: error)?: |^scp: |^tar: .*(?:Error|Cannot)/,
    words: ['curl: (', 'wget: ', 'error ', 'ssh: ', 'rsync', 'scp: ', 'tar: '],
  },
  {
    pattern:
      /(?:exit(?:ed)?(?: with)?(?: non-zero)?|returned(?: non-zero)?|returned an?)[ :]+(?:(?:exit )?(?:code|status)[ :=]*)(?:-?[1-9]\d*|'?-?[1-9]\d*'?)\b|\bexit code: [1-9]|did not complete successfully|terminated by signal|killed by signal|\bsignal: (?:SIG\w+|[1-9])|non-zero (?:exit )?(?:code|status)/i,
    words: ['exit', 'returned', 'did not complete', 'by signal', 'signal: ', 'non-zero'],
  },
  {
    pattern:
      /^\S+: (?:missing operand|invalid option|unrecognized option|illegal option|unknown option|fatal)\b/,
    words: [
      'missing operand',
      'invalid option',
      'recognized opt',
      'illegal opt',
      'unknown option',
      ': fatal',
    ],
  },
  {
    pattern: /\b(?:timed out|timeout (?:of|after|exceeded)|deadline exceeded|Timeout(?:Error)?:)/i,
    words: ['timed out', 'timeout', 'deadline exc'],
    rank: 'failure',
  },
];
