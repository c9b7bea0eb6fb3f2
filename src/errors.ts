/**
 * All errors of this package, in one table.
 *
 * A command that fails is not an error: exit code, timeout and abort are part of the result. An error means
 * that a call could not be carried out.
 */
const CATALOGUE = {
  bad_input: '{field}: {problem}',
  option_unknown: "Unknown option '{option}'.{hint}",
  option_invalid: 'Option {option} must be {expected}, got {received}.',
  closed: 'This instance is closed. Create another one with createBash().',
  cwd_missing: 'Working directory does not exist: {cwd}',
  session_cwd_missing:
    'Working directory does not exist: {cwd} (this session had gone there). The session is back in {home}.',
  cwd_not_directory: 'Working directory is not a directory: {cwd}',
  env_name_invalid: 'Invalid bash env name: {name}',
  async_disabled: 'Async bash execution is disabled. Set async.enabled to true, or leave async out.',
  shell_missing: 'The shell {shell} cannot be used: {reason}. {source}',
  spawn_failed: 'The shell {shell} could not be started: {reason}',
  sandbox_unavailable: 'The sandbox cannot be built, so nothing was run: {reason}',
  host_unknown: "Unknown host '{name}'. Available hosts: {hosts}.",
  host_unreachable: 'The host {host} cannot be reached, so nothing was run: {reason}',
  start_unknown:
    'The link to {host} broke while the command was on its way, so whether it began is not known. It was not tried again: {reason}',
  store_unusable: 'The state directory {directory} cannot be used: {reason}',
  state_newer:
    'The state directory {directory} was written by a newer nacre: it has version {found}, and this nacre reads {known}. Update nacre, or choose another directory with stateDirectory.',
  disk_low:
    'Only {free} are free on the disk of {directory}; no run starts below {floor}. Free some space, or lower storage.minFreeBytes.',
  url_unresolved: '{url} cannot be resolved: {reason}',
  url_forbidden: '{url} is refused: {reason}',
  artifact_not_found: 'There is no artifact {artifact} in this session.',
  session_not_found: 'There is no session {session}; nacre sessions lists those there are.',
  job_not_found: 'There is no job {id} in this session.',
  job_limit: '{count} jobs are running and the limit is {limit}: {jobs}',
  input_closed: 'Job {id} takes no input: {reason}.',
  input_full: 'Job {id} does not read its input: {waiting} bytes could not be sent within {seconds} seconds.',
  pattern_slow:
    'The pattern {pattern} needs more than {ms} ms for a part of the output: it tries too many ways. Repeat nothing that is repeated already, or look for a plain text.',
  blocked_by_policy: '{message}',
  policy_limit: 'The command is too complex to be checked: {limit}.',
  rule_invalid: 'Rule {rule} is invalid: {problem}',
  approval_not_found: 'There is no open question {id}.',
  hook_failed: 'The hook before the run failed, so nothing was run: {reason}',
  setting_invalid: '{file}: {key} must be {expected}, got {received}.',
  setting_rule_invalid: '{file}: {key}: {problem}',
  setting_unknown: "{file}: unknown setting '{key}'.{hint}",
  setting_forbidden: '{file}: a project may not set {key} so: {reason}. Set it in {userFile}.',
  settings_unreadable: '{file} cannot be read: {reason}',
  usage: '{problem}',
  bad_line: 'The line is not a request: {problem}.',
  request_unknown: 'There is no request {type}.{meant}',
  too_many: '{limit} {what}, which is the limit. {advice} first.',
  token_unusable: 'The token file {file} cannot be used: {reason}.',
  listen_failed: 'Nothing can be served on {address}: {reason}',
  internal: 'Internal error in nacre: {reason}',
  aborted: 'The command was aborted.',
} as const;

/** Stable identifiers: new ones may be added, but none is renamed within a major version. */
export type ErrorCode = keyof typeof CATALOGUE;

/** All error codes, in the order of the catalogue. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(CATALOGUE) as ErrorCode[];

/** The values for the placeholders of a message. */
export type ErrorFields = Readonly<Record<string, string | number>>;

/** Thrown when a call could not be carried out. */
export class NacreError extends Error {
  override readonly name: string = 'NacreError';
  readonly code: ErrorCode;
  /** The values in the message, for callers that do not want to parse it. */
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, fields: ErrorFields = {}, options?: ErrorOptions) {
    super(fill(CATALOGUE[code], fields), options);
    this.code = code;
    this.fields = fields;
  }
}

function fill(template: string, fields: ErrorFields): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(fields[name] ?? whole)).trimEnd();
}

/** Returns the message of a caught value, which need not be an `Error`. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
