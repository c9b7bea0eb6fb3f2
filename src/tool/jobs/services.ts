import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LockOwner } from '../../engine/process/file-lock.ts';
import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import { shellQuote } from '../../engine/text/shell-quote.ts';
import { badInputError } from '../contract/input-schema.ts';
import type { JobInfo } from '../contract/job.ts';
import type { RestartPolicy } from '../profiles/profile.ts';

interface ServiceScope {
  /** Directory of the session. */
  readonly directory: string;
  /** Lists the live jobs of the session, including jobs of other programs. */
  readonly listLiveJobs: () => readonly JobInfo[];
}

/** A start takes milliseconds. */
const START_LOCK_TIMEOUT_MS = 10_000;
const START_LOCK_POLL_MS = 10;

/** Throws `bad_input` when a service of this name is running. */
export function requireServiceNameFree(
  name: string,
  { listLiveJobs }: Pick<ServiceScope, 'listLiveJobs'>,
): void {
  const same = listLiveJobs().find((job) => job.name === name);
  if (same !== undefined)
    throw badInputError('service.name', `${name} is already running as job ${same.id}: kill it first`);
}

/** Starts a service under a lock that no other start of the same name can hold, in any program. */
export async function startExclusiveService<T>(
  name: string,
  names: ServiceScope,
  start: () => Promise<T>,
): Promise<T> {
  const directory = join(names.directory, 'services');
  const path = join(directory, name);
  const claimant = new LockOwner(crypto.randomUUID());
  makePrivateDirectory(directory);
  for (
    const until = performance.now() + START_LOCK_TIMEOUT_MS;
    claimant.tryAcquire(path) === 'held';
    await pause(START_LOCK_POLL_MS)
  ) {
    if (performance.now() > until)
      throw badInputError('service.name', `${name} is being started by another program that does not finish`);
  }
  try {
    requireServiceNameFree(name, names);
    return await start();
  } finally {
    claimant.release(path);
  }
}

interface RestartLoopRequest {
  /** The command as bash would get it without the loop. */
  readonly command: string;
  readonly policy: Exclude<RestartPolicy, 'never'>;
  /** Directory of the run directories; the loop writes the restart count into its own. */
  readonly runsDirectory: string;
}

/** File with the number of restarts of a service. */
export const RESTARTS_FILE = 'restarts';

/**
 * Renders a bash loop that restarts a command when it exits.
 *
 * The loop leads the process group of the run for the lifetime of the service, so the reported group stays
 * valid and the end of the run is the end of the service. Signals are sent to all processes of the run: TERM
 * and INT also end the loop, others reach only the service. The loop does not depend on the program that
 * started it.
 */
export function renderRestartLoop({ command, policy, runsDirectory }: RestartLoopRequest): string {
  const file = `${shellQuote(runsDirectory)}/$NACRE_RUN_ID/${RESTARTS_FILE}`;
  return `nacre_text=${shellQuote(command)} nacre_policy=${policy} nacre_file=${file}\n${RESTART_LOOP_SCRIPT}`;
}

const RESTART_LOOP_SCRIPT = `nacre_stop= nacre_child= nacre_status=0 nacre_delay=1 nacre_count=0
trap 'nacre_stop=TERM' TERM
trap 'nacre_stop=INT' INT
trap : HUP QUIT USR1 USR2
nacre_forward() { # only the loop was signaled, by pid: pass the signal on to the service
  local round
  for ((round = 0; round < 60; round++)); do kill -0 "$nacre_child" 2>/dev/null || return; sleep 0.05; done
  kill -"$nacre_stop" "$nacre_child" 2>/dev/null
}
nacre_wait() { # wait for the service; sets nacre_status
  local status
  nacre_status=
  while :; do
    wait "$nacre_child" 2>/dev/null
    status=$?
    # 127 is the service's own status, or bash no longer knows the child: then the earlier status counts.
    [[ $status == @(127|-1) && -n $nacre_status ]] || nacre_status=$status
    kill -0 "$nacre_child" 2>/dev/null || break
    [[ -z $nacre_stop ]] || nacre_forward
  done
  # A signal may have interrupted the wait just before the exit: then the status can still be read.
  wait "$nacre_child" 2>/dev/null
  status=$?
  [[ $status == @(127|-1) ]] || nacre_status=$status
}
while :; do
  nacre_began=$SECONDS
  (trap - TERM INT HUP QUIT USR1 USR2; exec -a bash "$BASH" -c "$nacre_text") <&0 &
  nacre_child=$!
  nacre_wait
  [[ -z $nacre_stop ]] || break
  [[ $nacre_policy == always || $nacre_status -ne 0 ]] || break
  ((SECONDS - nacre_began < 30)) || nacre_delay=1
  printf '%s\\n' "$((++nacre_count))" 2>/dev/null >"$nacre_file"
  nacre_end="exited with code $nacre_status"
  ((nacre_status >= 0)) || nacre_end='exited with an unknown code'
  printf '[%s; restarting in %s s, restart %s]\\n' "$nacre_end" "$nacre_delay" "$nacre_count"
  sleep "$nacre_delay" &
  wait $!
  [[ -z $nacre_stop ]] || { kill $! 2>/dev/null; break; }
  ((nacre_delay = nacre_delay < 32 ? nacre_delay * 2 : 60))
done
# Bash reports -1 when it lost the status: the child exited while a signal interrupted the wait.
((nacre_status >= 0)) || nacre_status=$((128 + $(kill -l "\${nacre_stop:-KILL}")))
trap - TERM INT HUP QUIT USR1 USR2
((nacre_status <= 128)) || kill -"$((nacre_status - 128))" $$ 2>/dev/null
exit "$nacre_status"`;

const MAX_PATTERN_LENGTH = 1_000;

/** Parses a regular expression that a model wrote; an error names `field`. */
export function parseOutputPattern(text: string, field: string): RegExp {
  if (text === '') throw badInputError(field, 'is empty, and would match every line');
  if (text.length > MAX_PATTERN_LENGTH)
    throw badInputError(field, `takes ${MAX_PATTERN_LENGTH} characters at most, got ${text.length}`);
  try {
    return new RegExp(text, 'u');
  } catch {
    return parseNonUnicodePattern(text, field);
  }
}

/** Unicode mode rejects unnecessary backslashes, which models often write. */
function parseNonUnicodePattern(text: string, field: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw badInputError(
      field,
      `is not a regular expression: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}
