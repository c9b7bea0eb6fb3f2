import { join } from 'node:path';
import type { Run } from '../../engine/hosts/host.ts';
import { RUN_FILES } from '../../engine/run/files.ts';
import type { NacreError } from '../../errors.ts';
import type { Plan } from '../planning/plan.ts';
import { fixedLimit, type TimeLimit } from '../planning/time-limit.ts';
import type { Finished, Shaped } from '../profiles/profile.ts';
import type { CallResult, JobHandle, MachineResult, WaitingForInput } from '../result.ts';
import type { CallContext } from '../running/context.ts';
import type { StateReset } from '../sessions/shell-plan.ts';
import type { Ended } from './end-notes.ts';
import { endNotes } from './end-notes.ts';
import { NO_OUTPUT, toMachine } from './machine.ts';
import { differingStatuses } from './pipe-status.ts';
import type { Shown } from './shown.ts';
import { renderWaitingForInput } from './waiting-for-input.ts';

/** A run that is over, with all that is said of it. */
interface FinishedRun extends Omit<Ended, 'isElsewhere'> {
  readonly run: Run;
  readonly artifact: string | null;
  /** Why what it changed in its shell is not kept; `null` when that is not so. */
  readonly stateReset?: StateReset | null;
  readonly more: readonly string[];
}

/** The result of a run that is over. */
export function finishedResult(ended: FinishedRun, { profile, isElsewhere }: CallContext): CallResult {
  const { plan, run, end, outcome, shown, artifact, stateReset = null, more } = ended;
  const notes = [...endNotes({ ...ended, isElsewhere }), ...more];
  const statuses = differingStatuses(end.pipeStatus);
  const machine = toMachine({
    runId: run.id,
    outcome,
    wallTimeMs: end.wallTimeMs,
    cwd: plan.run.cwd,
    output: shown.output,
    artifact,
    ...(end.leftovers.length === 0 ? {} : { job: leftoverJob(ended) }),
    ...(end.survivors.length === 0 ? {} : { survivors: end.survivors }),
    ...(stateReset === null ? {} : { stateReset }),
    ...(statuses === null ? {} : { pipeStatus: statuses }),
    notes,
  });
  const { ending, wallTimeMs } = end;
  const { timeLimit } = plan.request;
  return toResult(profile.shapeFinished({ ending, outcome, wallTimeMs, timeLimit, shown, notes }), machine);
}

/** A run that goes on when the call is over. */
export interface StartedRun {
  readonly plan: Plan;
  readonly run: Run;
  /** What it printed while somebody waited; `null` when nobody did. */
  readonly shown: Shown | null;
  readonly waiting: WaitingForInput | null;
  readonly stateReset?: StateReset | null;
  readonly more: readonly string[];
}

/** The result of a run that nobody waits for, or nobody any more. */
export function startedResult(started: StartedRun, { profile, isElsewhere }: CallContext): CallResult {
  const { plan, run, shown, waiting, stateReset = null, more } = started;
  const notes = [...plan.notes, ...more, ...(waiting === null ? [] : [renderWaitingForInput(waiting)])];
  const wallTimeMs = shown === null ? 0 : Date.now() - run.startedAt;
  const job: JobHandle = {
    id: run.id,
    pid: run.pid,
    pgid: run.pid,
    outputFile: join(run.directory, RUN_FILES.log),
    state: 'running',
  };
  const machine = toMachine({
    runId: run.id,
    outcome: { status: 'running', exitCode: null, signal: null },
    wallTimeMs,
    cwd: plan.run.cwd,
    output: shown?.output ?? NO_OUTPUT,
    artifact: plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`,
    job,
    ...(waiting === null ? {} : { waitingForInput: waiting }),
    ...(stateReset === null ? {} : { stateReset }),
    notes,
  });
  const { label } = plan;
  return toResult(
    profile.shapeStarted({ job, label, timeLimit: jobLimit(plan), shown, wallTimeMs, notes, isElsewhere }),
    machine,
  );
}

/** Once nobody waits, a limit that the call did not name is that of jobs. */
function jobLimit({ request: { timeLimit }, run: { jobTimeoutMs } }: Plan): TimeLimit {
  return timeLimit.ms === null ? timeLimit : { ...timeLimit, ms: jobTimeoutMs };
}

/** The result of a call that could not be carried out. */
export function refusedResult(error: NacreError, { profile, options }: CallContext): CallResult {
  const machine = toMachine({
    runId: null,
    outcome: { status: 'refused', exitCode: null, signal: null },
    wallTimeMs: 0,
    cwd: options.cwd,
    output: NO_OUTPUT,
    artifact: null,
    notes: [],
  });
  const { code: id, message } = error;
  const { suggestedTool } = error.fields;
  const shaped = profile.shapeRefused(error, options);
  const details = suggestedTool === undefined ? shaped.details : { ...shaped.details, suggestedTool };
  return { ...toResult({ ...shaped, details }, machine), error: { id, message } };
}

/** The partial result of a call that was aborted before anything ran. */
export function unstartedResult({ profile, options }: CallContext): CallResult {
  const finished: Finished = {
    ending: { kind: 'stopped', reason: 'abort', forced: false },
    outcome: { status: 'aborted', exitCode: null, signal: null },
    wallTimeMs: 0,
    timeLimit: fixedLimit(options.timeoutMs),
    shown: { output: NO_OUTPUT, truncation: null, apart: null },
    notes: [],
  };
  const { outcome, wallTimeMs, notes } = finished;
  const machine = toMachine({
    ...{ runId: null, outcome, wallTimeMs, notes },
    cwd: options.cwd,
    output: NO_OUTPUT,
    artifact: null,
  });
  return toResult(profile.shapeFinished(finished), machine);
}

function leftoverJob({ run, end }: FinishedRun): JobHandle {
  const [first] = end.leftovers;
  return {
    id: run.id,
    pid: first?.pid ?? run.pid,
    pgid: run.pid,
    outputFile: join(run.directory, RUN_FILES.out),
    state: 'running',
  };
}

function toResult({ text, isError, details }: Shaped, run: MachineResult): CallResult {
  return { content: [{ type: 'text', text }], isError, details, run };
}
