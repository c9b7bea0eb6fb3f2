import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import type { NacreError } from '../../errors.ts';
import { toOutcome } from '../outcome/outcome.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallContext } from './context.ts';

/** Gives back notes: what to say when the log could not be written. */
type Noted = readonly string[];

/** A line of the log for a run that was started. */
export function recordStart({ plan, run }: { plan: Plan; run: Run }, context: CallContext): Noted {
  const { journal, session, profile, host } = context;
  const problem = journal.write({
    event: 'start',
    time: new Date(run.startedAt).toISOString(),
    session: session.key,
    runId: run.id,
    profile: profile.name,
    host: host.name,
    command: shorten(plan.mask.apply(plan.request.command)),
    cwd: plan.run.cwd,
    verdict: 'allow',
    background: plan.request.background,
  });
  return toNotes(problem);
}

/** A line for its end. */
export function recordEnd(
  ended: { run: Run; end: RunEnd; outputBytes: number | null },
  context: CallContext,
): Noted {
  const { run, end, outputBytes } = ended;
  const problem = context.journal.write({
    event: 'end',
    time: new Date().toISOString(),
    session: context.session.key,
    runId: run.id,
    ...toOutcome(end.ending),
    durationMs: end.wallTimeMs,
    outputBytes,
  });
  return toNotes(problem);
}

/** A line for a call that was not carried out. */
export function recordRefusal(
  { input, error }: { input: unknown; error: NacreError },
  context: CallContext,
): Noted {
  const { journal, session, profile, host, options, environments } = context;
  const { command } = (typeof input === 'object' && input !== null ? input : {}) as { command?: unknown };
  const { mask } = environments.of({});
  const problem = journal.write({
    event: 'refused',
    time: new Date().toISOString(),
    session: session.key,
    profile: profile.name,
    host: host.name,
    command: typeof command === 'string' ? shorten(mask.apply(command)) : null,
    cwd: options.cwd,
    verdict: error.code === 'blocked_by_policy' ? 'deny' : 'invalid',
    error: error.code,
  });
  return toNotes(problem);
}

function toNotes(problem: string | null): Noted {
  return problem === null ? [] : [`The command could not be written to the log: ${problem}`];
}

const MAX_COMMAND = 64 * 1024;

/** Longer ones say how much is missing; the run's directory has all of it. */
function shorten(command: string): string {
  if (command.length <= MAX_COMMAND) return command;
  return `${command.slice(0, MAX_COMMAND)}… (${command.length - MAX_COMMAND} more characters)`;
}
