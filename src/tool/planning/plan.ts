import { join } from 'node:path';
import type { RunInput, RunRequest } from '../../engine/hosts/host.ts';
import type { Mask } from '../../engine/output/mask.ts';
import type { TerminalPlan } from '../../engine/run/supervise/terminal.ts';
import type { ChildEnvironment } from '../../engine/shell/environment.ts';
import { renderRestartLoop } from '../job/service/restart-loop.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { CallContext } from '../running/context.ts';
import { renderListed } from '../runs/index-file.ts';
import { NEW_SHELL, type ShellPlan } from '../sessions/shell-plan.ts';
import { planTerminal } from '../terminal/plan-terminal.ts';
import { endsInPipeline } from './normalise.ts';
import { findPlace } from './place.ts';
import type { CallRequest } from './request.ts';

/** A call with every question answered. */
export interface Plan {
  readonly run: Omit<RunRequest, 'onBytes'>;
  /** What is judged: the command as it came, and what goes before it. */
  readonly judged: string;
  readonly request: CallRequest;
  /** The command, short enough for a list. */
  readonly label: string;
  /** Directories to make before anything starts. */
  readonly make: readonly string[];
  readonly withheld: readonly string[];
  readonly mask: Mask;
  /** What must not be written down. */
  readonly secrets: readonly string[];
  /** The session's shell, as far as this call is concerned. */
  readonly shell: ShellPlan;
  readonly notes: readonly string[];
}

/** A request whose text is as bash will get it, and what that asks for. */
export interface Ready {
  readonly request: CallRequest;
  readonly make: readonly string[];
  /** Whether `cwd` was the command's own leading `cd`. */
  readonly moved: boolean;
}

const LABEL_LENGTH = 120;
const SERVICE_LOG_BYTES = 64 * 1024 * 1024;

/** Answers every question of a call. Makes and starts nothing. */
export async function makePlan(ready: Ready, context: CallContext): Promise<Plan> {
  const { request, make } = ready;
  const { options, profile, session } = context;
  const { terminal, notes } = planTerminal(request, context);
  const output = terminal === null ? 'pipe' : 'terminal';
  const environment = context.environments.of({ ...context.traceVariables, ...request.env }, output);
  const { cwd, oldCwd, movedFrom } = await findPlace(ready, environment.env.HOME, context);
  const env = oldCwd === null ? environment.env : { ...environment.env, OLDPWD: oldCwd };
  const command = options.shellPrefix === '' ? request.command : `${options.shellPrefix} ${request.command}`;
  const { mask } = environment;
  const shownCommand = mask.apply(request.command);
  return {
    request,
    judged: command,
    label: toLabel(shownCommand),
    make,
    mask,
    secrets: environment.maskValues,
    shell: { ...NEW_SHELL, movedFrom },
    withheld: environment.withheld,
    notes: [...request.timeLimit.notes, ...droppedNotes(environment), ...notes],
    run: {
      command: toRun(command, request, options),
      shell: context.shell(),
      cwd,
      env,
      ...streamsOf(request, { terminal, context }),
      timeoutMs: request.timeLimit.ms,
      graceMs: options.graceMs,
      jobTimeoutMs: jobTimeout(request, options),
      watcher: request.background ? 'nobody' : 'reader',
      ...(request.sandbox === null ? {} : { preset: request.sandbox.preset }),
      keep: {
        maxBytes: maxBytesOf(request, options),
        onFull: options.storage.onFull,
        minFreeBytes: options.storage.minFreeBytes,
      },
      pipeStatus: !request.background && terminal === null && (await endsInPipeline(command)),
      ground: null,
      preamble: '',
      atExit: '',
      asked: {
        session: session.key,
        profile: profile.name,
        command: shownCommand,
        label: toLabel(shownCommand),
        cwd,
        timeoutMs: request.timeLimit.ms,
        background: request.background,
        completionLine: request.background,
        ...askedOfStreams(request, terminal),
        service: request.service?.name ?? null,
        teller: context.teller.mark,
      },
      listed: renderListed({
        session: session.key,
        name: request.service?.name ?? null,
        label: toLabel(shownCommand),
        command: shownCommand,
        cwd,
        takesInput: terminal !== null || request.stdin?.kind === 'open',
        background: request.background,
      }),
    },
  };
}

/** The plan with the session's shell under it. Last of all: for this the user's own shell may have to be looked at. */
export async function addShell(plan: Plan, { sessionShell }: CallContext): Promise<Plan> {
  if (sessionShell === null) return plan;
  const { request, judged: command, run } = plan;
  const { movedFrom } = plan.shell;
  const { env: callEnv, background } = request;
  const isWider = request.sandbox !== null;
  const shell = await sessionShell.plan({ command, env: run.env, movedFrom, callEnv, background, isWider });
  const { ground, preamble, atExit, shellMark, notes } = shell;
  const around = { ground, preamble, atExit, ...(shellMark === undefined ? {} : { shellMark }) };
  return { ...plan, shell, run: { ...run, ...around }, notes: [...plan.notes, ...notes] };
}

/** A call's own limit holds when nobody waits any more, too; one that it did not name does not. */
function jobTimeout({ timeLimit: { ms, given } }: CallRequest, { jobTimeoutMs }: ResolvedOptions): number {
  return given && ms !== null ? ms : jobTimeoutMs;
}

/** A service that is started again runs in a loop; everything else runs as it is. */
function toRun(command: string, { service }: CallRequest, { stateDirectory }: ResolvedOptions): string {
  if (service === null || service.restart === 'never') return command;
  return renderRestartLoop({ command, policy: service.restart, runs: join(stateDirectory, 'runs') });
}

/** A service prints for as long as it lives: of its log the start and the latest stay. */
function maxBytesOf({ service }: CallRequest, { storage: { maxRunBytes } }: ResolvedOptions): number {
  return service === null ? maxRunBytes : Math.min(maxRunBytes, SERVICE_LOG_BYTES);
}

function inputOf({ stdin }: CallRequest, { call }: CallContext): RunInput {
  if (stdin !== null) return stdin;
  return call.stdin === undefined ? { kind: 'empty' } : { kind: 'descriptor', fd: call.stdin.fd };
}

/** What is typed on a terminal is its input, and both streams are what it draws. */
function streamsOf(
  request: CallRequest,
  { terminal, context }: { readonly terminal: TerminalPlan | null; readonly context: CallContext },
): Pick<RunRequest, 'input' | 'streams' | 'terminal'> {
  if (terminal !== null) return { input: { kind: 'open' }, streams: 'merged', terminal };
  const { call, profile } = context;
  return { input: inputOf(request, context), streams: call.streams ?? profile.streams, terminal };
}

function askedOfStreams({ stdin }: CallRequest, terminal: TerminalPlan | null): Record<string, unknown> {
  if (terminal === null) return { input: stdin?.kind ?? 'empty', terminal };
  const { columns, rows } = terminal;
  return { input: 'open', terminal: { columns, rows } };
}

function toLabel(command: string): string {
  const [line = ''] = command.trim().split('\n');
  return line.length <= LABEL_LENGTH ? line : `${line.slice(0, LABEL_LENGTH)}…`;
}

function droppedNotes({ dropped }: ChildEnvironment): readonly string[] {
  return dropped.length === 0 ? [] : [`Not passed to the command: ${dropped.join(', ')} (reserved names)`];
}
