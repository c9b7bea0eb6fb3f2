import type { Run, RunEnd, RunRequest } from '../../engine/hosts/host.ts';
import { NacreError } from '../../errors.ts';
import { toCallOutcome } from '../contract/result.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';

/**
 * Starts a run. When the host reports that the session's current directory is missing, the session returns to
 * its start directory.
 */
export async function startRun(
  request: RunRequest,
  { host, sessionShell, options }: CallContext,
): Promise<Run> {
  try {
    return await host.start(request);
  } catch (error) {
    const isMissing = error instanceof NacreError && error.code === 'cwd_missing';
    const isOwn = sessionShell !== null && sessionShell.state.cwd === request.cwd;
    if (!isMissing || !isOwn || request.preset !== undefined) throw error;
    sessionShell.returnToStartDirectory();
    throw new NacreError('session_cwd_missing', { cwd: request.cwd, home: options.cwd });
  }
}

/** Notes about a log that could not be written. */
type JournalNotes = readonly string[];

/** Writes the log entry for a started run. */
export function journalStart(
  { plan, run }: { plan: CallPlan; run: Run },
  context: CallContext,
): JournalNotes {
  const { journal, session, profile, host } = context;
  const problem = journal.write({
    event: 'start',
    time: new Date(run.startedAt).toISOString(),
    session: session.key,
    runId: run.id,
    profile: profile.name,
    host: host.name,
    command: truncateLoggedCommand(plan.maskedCommand),
    cwd: plan.run.cwd,
    verdict: 'allow',
    background: plan.request.background,
  });
  return toJournalNotes(problem);
}

/** Writes the log entry for the end of a run. */
export function journalEnd(
  ended: { run: Run; end: RunEnd; outputBytes: number | null },
  context: CallContext,
): JournalNotes {
  const { run, end, outputBytes } = ended;
  const problem = context.journal.write({
    event: 'end',
    time: new Date().toISOString(),
    session: context.session.key,
    runId: run.id,
    ...toCallOutcome(end.ending),
    durationMs: end.wallTimeMs,
    outputBytes,
  });
  return toJournalNotes(problem);
}

/** Writes the log entry for a refused call. */
export function journalRefusal(
  { input, error }: { input: unknown; error: NacreError },
  context: CallContext,
): JournalNotes {
  const { journal, session, profile, host, options, environments } = context;
  const { command } = (typeof input === 'object' && input !== null ? input : {}) as { command?: unknown };
  const { mask } = environments.get({});
  const problem = journal.write({
    event: 'refused',
    time: new Date().toISOString(),
    session: session.key,
    profile: profile.name,
    host: host.name,
    command: typeof command === 'string' ? truncateLoggedCommand(mask.apply(command)) : null,
    cwd: options.cwd,
    verdict: error.code === 'blocked_by_policy' ? 'deny' : 'invalid',
    error: error.code,
  });
  return toJournalNotes(problem);
}

function toJournalNotes(problem: string | null): JournalNotes {
  return problem === null ? [] : [`The command could not be written to the log: ${problem}`];
}

const MAX_LOGGED_COMMAND_LENGTH = 64 * 1024;

/** Shortens a long command; the run directory has the whole text. */
function truncateLoggedCommand(command: string): string {
  if (command.length <= MAX_LOGGED_COMMAND_LENGTH) return command;
  return `${command.slice(0, MAX_LOGGED_COMMAND_LENGTH)}… (${command.length - MAX_LOGGED_COMMAND_LENGTH} more characters)`;
}
