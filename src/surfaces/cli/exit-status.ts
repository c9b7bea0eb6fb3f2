import type { ErrorCode } from '../../errors.ts';
import type { CallResult } from '../../index.ts';

export const EXIT_USAGE = 2;
const EXIT_TIMED_OUT = 124;
export const EXIT_INTERNAL_FAILURE = 125;
export const EXIT_REFUSED = 126;
/** 128 + SIGPIPE. */
export const EXIT_BROKEN_PIPE = 141;

/** The exit status of `nacre run` for a call that was not interrupted. */
export function toExitStatus({ run, error, isError }: CallResult): number {
  if (error !== undefined) return toErrorExitStatus(error.id);
  if (run.status === 'timed_out') return EXIT_TIMED_OUT;
  if (run.status === 'running') return 0;
  // A service that exited with 0 before it was ready.
  if (run.exitCode === 0) return isError ? 1 : 0;
  return run.exitCode ?? EXIT_INTERNAL_FAILURE;
}

/** Errors caused by the command line arguments. */
const USAGE_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'usage',
  'bad_input',
  'option_invalid',
  'host_unknown',
  'cwd_missing',
  'cwd_not_directory',
  'env_name_invalid',
  'async_disabled',
]);

const NOT_FOUND_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'artifact_not_found',
  'job_not_found',
  'approval_not_found',
]);

export function toErrorExitStatus(code: ErrorCode): number {
  if (code === 'blocked_by_policy') return EXIT_REFUSED;
  if (NOT_FOUND_ERRORS.has(code)) return 1;
  return USAGE_ERRORS.has(code) ? EXIT_USAGE : EXIT_INTERNAL_FAILURE;
}
