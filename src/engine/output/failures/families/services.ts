import type { FailurePattern } from '../pattern.ts';
import { NEXT_LINE, NEXT_LINES } from './nearby.ts';

/** git, containers, clusters and what sets them up. */
export const SERVICES: readonly FailurePattern[] = [
  {
    pattern: /^(?:fatal|remote: (?:error|fatal|ERROR)): /,
    words: ['fatal: ', 'remote: '],
    follow: { pattern: /^(?:remote|hint): |^\t/, lines: 2, within: 3 },
  },
  {
    pattern:
      /^CONFLICT \(|^Automatic merge failed|^\s*! \[(?:remote )?rejected\]|^error: (?:failed to push|Your local changes|The following|pathspec|could not apply|patch failed|cannot)|^Auto packing.*error|^needs merge/,
    words: ['conflict (', 'automatic merge', 'rejected]', 'error: ', 'needs merge'],
    follow: { pattern: /^\t\S|^hint: /, lines: 4, within: 6 },
  },
  {
    pattern:
      /^Error response from daemon: |^(?:docker|podman): |^Error: (?:INSTALLATION|UPGRADE) FAILED|^Error from server|^The \w+ ".*" is invalid|^error: (?:error|unable|the server|no |timed out)|^Unable to connect to the server/,
    words: [
      'error response',
      'docker: ',
      'podman: ',
      ' failed',
      'error from',
      'is invalid',
      'error: ',
      'unable to',
    ],
    follow: NEXT_LINE,
  },
  {
    pattern:
      /\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|CreateContainer(?:Config)?Error|RunContainerError|InvalidImageName|FailedScheduling|FailedMount|Unhealthy|BackOff|Evicted|ProgressDeadlineExceeded)\b/,
    words: [
      'backoff',
      'errimage',
      'oomkilled',
      'containererror',
      'containerconfig',
      'invalidimage',
      'failedsched',
      'failedmount',
      'unhealthy',
      'evicted',
      'deadlineexc',
    ],
  },
  { pattern: /^\s+Warning {2,}\w+ {2,}/, words: ['warning  '], rank: 'failure' },
  {
    pattern: /^[│╷]? ?(?:│ )?Error: \S/,
    words: ['error: '],
    follow: { pattern: /^[│|] +(?:on \S+ line|\d+:|\S)/, lines: 4, within: 8 },
  },
  {
    pattern: /^fatal: \[[^\]]+\]: |^failed: \[[^\]]+\] |^\S+ +: ok=.*(?:unreachable|failed)=[1-9]/,
    words: ['fatal: [', 'failed: [', 'failed=~', 'unreachable=~'],
    follow: NEXT_LINE,
  },
  { pattern: /^TASK \[.*\] \*+$/, words: ['\ntask ['], rank: 'maybe' },
  {
    pattern: /\bAn error occurred \(|\bAccessDenied\b|\b(?:Unauthorized|Forbidden)\b|\bpermission denied\b/,
    words: ['an error occ', 'accessdenied', 'unauthorized', 'forbidden', 'permission den'],
    rank: 'maybe',
  },
  {
    pattern: /^(?:ERROR|FATAL|PANIC): {1,2}\S|\bERROR \d{4} \(\w{5}\)|^psql:.*(?:ERROR|FATAL)|^ORA-\d+/,
    words: ['error', 'fatal', 'panic: ', 'ora-~'],
    follow: NEXT_LINES,
  },
  {
    pattern:
      /\b(?:deadlock detected|duplicate key value|violates (?:foreign key|unique|check|not-null) constraint|relation ".*" does not exist|constraint failed)\b/,
    words: ['deadlock', 'duplicate key', 'violates ', 'does not exist', 'constraint fail'],
  },
];
