import { join } from 'node:path';
import type { ProcessName, Run, RunEnd } from '../../engine/hosts/host.ts';
import { RUN_FILES } from '../../engine/run/run-files.ts';
import { namesMentionedIn } from '../../engine/shell/withhold-secrets.ts';
import type { NacreError } from '../../errors.ts';
import type { StateReset } from '../contract/result.ts';
import {
  type CallOutcome,
  type CallResult,
  isSuccess,
  type JobHandle,
  type MachineOutput,
  type MachineResult,
  type WaitingForInput,
} from '../contract/result.ts';
import { renderWaitingForInput } from '../jobs/job-status.ts';
import type { FinishedSummary, ShapedResult, ShownOutput } from '../profiles/profile.ts';
import { type TimeLimit, toDefaultTimeLimit } from '../profiles/profile.ts';
import type { CallContext } from './context.ts';
import type { CallPlan } from './plan-call.ts';

interface FinishedCallRun extends Omit<EndedRun, 'isSandboxedOrRemote'> {
  readonly run: Run;
  readonly artifact: string | null;
  /** Reason why changes to the session's shell were not saved; `null` when they were. */
  readonly stateReset?: StateReset | null;
  readonly more: readonly string[];
}

/** Builds the result of a run that ended. */
export function buildFinishedResult(
  ended: FinishedCallRun,
  { profile, isSandboxedOrRemote }: CallContext,
): CallResult {
  const { plan, run, end, outcome, shown, artifact, stateReset = null, more } = ended;
  const notes = [...renderEndNotes({ ...ended, isSandboxedOrRemote }), ...more];
  const statuses = differingPipeStatuses(end.pipeStatus);
  const machine = toMachineResult({
    runId: run.id,
    outcome,
    wallTimeMs: end.wallTimeMs,
    cwd: plan.run.cwd,
    output: shown.output,
    artifact,
    ...(end.leftovers.length === 0 ? {} : { job: toLeftoverJobHandle(ended) }),
    ...(end.survivors.length === 0 ? {} : { survivors: end.survivors }),
    ...(stateReset === null ? {} : { stateReset }),
    ...(statuses === null ? {} : { pipeStatus: statuses }),
    notes,
  });
  const { ending, wallTimeMs } = end;
  const { timeLimit } = plan.request;
  return toCallResult(
    profile.shapeFinished({ ending, outcome, wallTimeMs, timeLimit, shown, notes }),
    machine,
  );
}

/** A run that continues as a job after its call. */
export interface StartedCallRun {
  readonly plan: CallPlan;
  readonly run: Run;
  /** Output of the foreground phase; `null` for a run that started in the background. */
  readonly shown: ShownOutput | null;
  readonly waiting: WaitingForInput | null;
  readonly stateReset?: StateReset | null;
  readonly more: readonly string[];
}

/** Builds the result of a run that continues as a job. */
export function buildStartedResult(
  started: StartedCallRun,
  { profile, isSandboxedOrRemote }: CallContext,
): CallResult {
  const { plan, run, shown, waiting, stateReset = null, more } = started;
  const notes = [...plan.notes, ...more, ...(waiting === null ? [] : [renderWaitingForInput(waiting)])];
  const wallTimeMs = shown === null ? 0 : Date.now() - run.startedAt;
  const job: JobHandle = {
    id: run.id,
    pid: run.pid,
    pgid: run.pid,
    outputFile: join(run.directory, RUN_FILES.backgroundLog),
    state: 'running',
  };
  const machine = toMachineResult({
    runId: run.id,
    outcome: { status: 'running', exitCode: null, signal: null },
    wallTimeMs,
    cwd: plan.run.cwd,
    output: shown?.output ?? EMPTY_OUTPUT,
    artifact: plan.run.keep.maxBytes === 0 ? null : `artifact://${run.id}`,
    job,
    ...(waiting === null ? {} : { waitingForInput: waiting }),
    ...(stateReset === null ? {} : { stateReset }),
    notes,
  });
  const { label } = plan;
  return toCallResult(
    profile.shapeStarted({
      job,
      label,
      timeLimit: toJobTimeLimit(plan),
      shown,
      wallTimeMs,
      notes,
      isSandboxedOrRemote,
    }),
    machine,
  );
}

/** A default time limit becomes the time limit of jobs. */
function toJobTimeLimit({ request: { timeLimit }, run: { jobTimeoutMs } }: CallPlan): TimeLimit {
  return timeLimit.ms === null ? timeLimit : { ...timeLimit, ms: jobTimeoutMs };
}

/** Builds the result of a call that was refused before a command ran. */
export function buildRefusedResult(error: NacreError, { profile, options }: CallContext): CallResult {
  const machine = toMachineResult({
    runId: null,
    outcome: { status: 'refused', exitCode: null, signal: null },
    wallTimeMs: 0,
    cwd: options.cwd,
    output: EMPTY_OUTPUT,
    artifact: null,
    notes: [],
  });
  const { code: id, message } = error;
  const { suggestedTool } = error.fields;
  const shaped = profile.shapeRefused(error, options);
  const details = suggestedTool === undefined ? shaped.details : { ...shaped.details, suggestedTool };
  return { ...toCallResult({ ...shaped, details }, machine), error: { id, message } };
}

/** Builds the result of a call that was aborted before a command ran. */
export function buildUnstartedResult({ profile, options }: CallContext): CallResult {
  const finished: FinishedSummary = {
    ending: { kind: 'stopped', reason: 'abort', forced: false },
    outcome: { status: 'aborted', exitCode: null, signal: null },
    wallTimeMs: 0,
    timeLimit: toDefaultTimeLimit(options.timeoutMs),
    shown: { output: EMPTY_OUTPUT, truncation: null, apart: null },
    notes: [],
  };
  const { outcome, wallTimeMs, notes } = finished;
  const machine = toMachineResult({
    runId: null,
    outcome,
    wallTimeMs,
    notes,
    cwd: options.cwd,
    output: EMPTY_OUTPUT,
    artifact: null,
  });
  return toCallResult(profile.shapeFinished(finished), machine);
}

function toLeftoverJobHandle({ run, end }: FinishedCallRun): JobHandle {
  const [first] = end.leftovers;
  return {
    id: run.id,
    pid: first?.pid ?? run.pid,
    pgid: run.pid,
    outputFile: join(run.directory, RUN_FILES.out),
    state: 'running',
  };
}

function toCallResult({ text, isError, details }: ShapedResult, run: MachineResult): CallResult {
  return { content: [{ type: 'text', text }], isError, details, run };
}

/** A run that ended, with its plan and outcome. */
export interface EndedRun {
  readonly plan: CallPlan;
  readonly run: { readonly id: string; readonly pid: number };
  readonly end: RunEnd;
  readonly outcome: CallOutcome;
  readonly shown: ShownOutput;
  /** Whether process ids of the run are invalid on this machine. */
  readonly isSandboxedOrRemote: boolean;
}

/** Renders the notes about how a run ended, one line each. */
export function renderEndNotes(ended: EndedRun): readonly string[] {
  const { plan, end, outcome, shown } = ended;
  const statuses = differingPipeStatuses(end.pipeStatus);
  const withheld = isSuccess(outcome)
    ? []
    : namesMentionedIn(`${plan.request.command}\n${shown.output.text}`, plan.withheld);
  return [
    ...plan.notes,
    ...end.notes,
    ...(end.ending.kind === 'lost' ? [`The exit status is unknown: ${end.ending.why}.`] : []),
    ...(statuses === null ? [] : [`Exit codes of the last pipeline: ${statuses.join(', ')}.`]),
    ...(end.leftovers.length === 0 ? [] : [renderLeftoverNote(ended)]),
    ...(end.survivors.length === 0 ? [] : [`Could not be stopped: ${renderProcessNames(end.survivors)}.`]),
    ...(withheld.length === 0 ? [] : [renderWithheldNote(withheld)]),
  ];
}

function renderLeftoverNote({ end: { leftovers }, run: { id, pid }, isSandboxedOrRemote }: EndedRun): string {
  const stop = isSandboxedOrRemote ? `nacre jobs kill ${id}` : `kill -9 ${renderKillTargets(leftovers, pid)}`;
  const verb = leftovers.length === 1 ? 'is' : 'are';
  return `${renderProcessNames(leftovers)} ${verb} still running as job ${id}; output goes to artifact://${id}. To stop it: ${stop}`;
}

/** Arguments for `kill`: the process group, then each process that left the group. */
function renderKillTargets(leftovers: readonly ProcessName[], group: number): string {
  const strayed = leftovers.filter(({ leftGroup }) => leftGroup === true).map(({ pid }) => pid);
  return [...(strayed.length < leftovers.length ? [-group] : []), ...strayed].join(' ');
}

function renderWithheldNote(names: readonly string[]): string {
  const what = names.length === 1 ? 'it looks like a secret' : 'they look like secrets';
  return `Not passed to the command: ${names.join(', ')} (${what}; the user can grant this with secrets.grants).`;
}

const MAX_NAMED_PROCESSES = 8;

function renderProcessNames(processes: readonly ProcessName[]): string {
  const named = processes.slice(0, MAX_NAMED_PROCESSES).map(({ pid, command }) => `${command} (pid ${pid})`);
  const more = processes.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

/** Fields of a machine result that do not follow from its outcome. */
export interface MachineResultParts
  extends Partial<
    Pick<MachineResult, 'job' | 'waitingForInput' | 'survivors' | 'stateReset' | 'pipeStatus'>
  > {
  readonly runId: string | null;
  readonly outcome: CallOutcome;
  readonly wallTimeMs: number;
  readonly cwd: string;
  readonly output: MachineOutput;
  readonly artifact: string | null;
  readonly notes: readonly string[];
}

export const EMPTY_OUTPUT: MachineOutput = {
  text: '',
  totalBytes: 0,
  totalLines: 0,
  shown: [],
  omitted: null,
};

/** Builds the machine result, which has the same form in every profile. */
export function toMachineResult({ outcome, ...parts }: MachineResultParts): MachineResult {
  const { status, exitCode, signal } = outcome;
  const { runId, wallTimeMs, cwd, output, artifact, ...rest } = parts;
  return {
    runId,
    status,
    exitCode,
    signal,
    timedOut: status === 'timed_out',
    aborted: status === 'aborted',
    wallTimeMs,
    cwd,
    output,
    artifact,
    ...rest,
  };
}

const SIGPIPE_EXIT_CODE = 141;

/**
 * Returns the exit codes of a pipeline when they differ.
 *
 * SIGPIPE before a stage that succeeded (`yes | head`) does not count.
 */
export function differingPipeStatuses(statuses: readonly number[] | null): readonly number[] | null {
  if (statuses === null || statuses.length < 2) return null;
  const lastSuccess = statuses.lastIndexOf(0);
  const counted = statuses.filter((status, index) => !(status === SIGPIPE_EXIT_CODE && index < lastSuccess));
  return new Set(counted).size > 1 ? statuses : null;
}

/** Builds the result of a call that another tool took over; no command ran. */
export function buildTakenOverResult(
  { tool, text }: { readonly tool: string; readonly text: string },
  { options }: CallContext,
): CallResult {
  const totalLines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  const shown = totalLines === 0 ? [] : [{ from: 1, to: totalLines }];
  const run = toMachineResult({
    runId: null,
    outcome: { status: 'exited', exitCode: 0, signal: null },
    wallTimeMs: 0,
    cwd: options.cwd,
    output: { text, totalBytes: Buffer.byteLength(text), totalLines, shown, omitted: null },
    artifact: null,
    notes: [`No command ran: the tool ${tool} carried out the call.`],
  });
  return { content: [{ type: 'text', text }], isError: false, details: { takenOverBy: tool }, run };
}
