import { join } from 'node:path';
import type { RunInput, RunRequest } from '../../engine/hosts/host.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { TerminalPlan } from '../../engine/run/run-terminal.ts';
import type { ChildEnvironment } from '../../engine/shell/child-environment.ts';
import { renderIndexFields } from '../jobs/run-index.ts';
import { renderRestartLoop } from '../jobs/services.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { CallRequest } from '../profiles/profile.ts';
import { FRESH_SHELL_PLAN, type ShellPlan } from '../sessions/shell-call.ts';
import { type PreparedRequest, planTerminal, resolveWorkingDirectory } from './call-environment.ts';
import type { CallContext } from './context.ts';

/** A call with everything decided that is needed to start it. */
export interface CallPlan {
  readonly run: Omit<RunRequest, 'onBytes'>;
  /** Text that the policy checks: the command with the configured prefix. */
  readonly policyText: string;
  readonly request: CallRequest;
  /** The command without its secrets, for records. */
  readonly maskedCommand: string;
  /** First line of the masked command, shortened for lists. */
  readonly label: string;
  /** Directories to create before the command starts. */
  readonly directoriesToCreate: readonly string[];
  readonly withheld: readonly string[];
  readonly mask: SecretMask;
  /** Values that must not be written to disk. */
  readonly secrets: readonly string[];
  /** How the command uses the session's shell. */
  readonly shell: ShellPlan;
  readonly notes: readonly string[];
}

const LABEL_LENGTH = 120;
const SERVICE_LOG_BYTES = 64 * 1024 * 1024;

/** Plans a call. Creates and starts nothing. */
export async function planCall(ready: PreparedRequest, context: CallContext): Promise<CallPlan> {
  const { request, directoriesToCreate } = ready;
  const { options, profile, session } = context;
  const { terminal, notes } = planTerminal(request, context);
  const output = terminal === null ? 'pipe' : 'terminal';
  const environment = context.environments.get({ ...context.traceVariables, ...request.env }, output);
  const { cwd, oldCwd, movedFrom } = await resolveWorkingDirectory(ready, environment.env.HOME, context);
  const env = oldCwd === null ? environment.env : { ...environment.env, OLDPWD: oldCwd };
  const command = options.shellPrefix === '' ? request.command : `${options.shellPrefix} ${request.command}`;
  const { mask } = environment;
  const maskedCommand = mask.apply(request.command);
  const shell = context.shell();
  const label = toLabel(maskedCommand);
  return {
    request,
    policyText: command,
    maskedCommand,
    label,
    directoriesToCreate,
    mask,
    secrets: environment.maskValues,
    shell: { ...FRESH_SHELL_PLAN, movedFrom },
    withheld: environment.withheld,
    notes: [...request.timeLimit.notes, ...renderDroppedVariables(environment), ...notes],
    run: {
      command: toRunCommand(command, request, options),
      shell,
      cwd,
      env,
      ...toRunStreams(request, { terminal, context }),
      timeoutMs: request.timeLimit.ms,
      graceMs: options.graceMs,
      jobTimeoutMs: toJobTimeoutMs(request, options),
      watcher: request.background ? 'nobody' : 'reader',
      ...(request.sandbox === null ? {} : { preset: request.sandbox.preset }),
      keep: {
        maxBytes: maxOutputBytes(request, options),
        onFull: options.storage.onFull,
        minFreeBytes: options.storage.minFreeBytes,
      },
      pipeStatus: !request.background && terminal === null && (await commandEndsInPipeline(command)),
      baseEnvironment: null,
      preamble: '',
      atExit: '',
      asked: {
        session: session.key,
        profile: profile.name,
        command: maskedCommand,
        label,
        cwd,
        timeoutMs: request.timeLimit.ms,
        background: request.background,
        completionLine: request.background,
        ...toAskedStreams(request, terminal),
        service: request.service?.name ?? null,
        teller: context.jobEndNotifier.ownerMark,
      },
      listed: renderIndexFields({
        session: session.key,
        name: request.service?.name ?? null,
        label,
        command: maskedCommand,
        cwd,
        takesInput: terminal !== null || request.stdin?.kind === 'open',
        background: request.background,
      }),
    },
  };
}

/**
 * Adds the session's shell to a plan. Comes last because it may have to start the user's shell for a snapshot.
 */
export async function addSessionShell(plan: CallPlan, { sessionShell }: CallContext): Promise<CallPlan> {
  if (sessionShell === null) return plan;
  const { request, policyText: command, run } = plan;
  const { movedFrom } = plan.shell;
  const { env: callEnv, background } = request;
  const shell = await sessionShell.plan({
    command,
    env: run.env,
    movedFrom,
    callEnv,
    background,
    isEscalated: request.sandbox !== null,
  });
  const { baseEnvironment, preamble, atExit, shellMark, notes } = shell;
  const around = {
    baseEnvironment,
    preamble,
    atExit,
    ...(shellMark === undefined ? {} : { shellMark }),
  };
  return { ...plan, shell, run: { ...run, ...around }, notes: [...plan.notes, ...notes] };
}

/** An explicit time limit of the call also holds for its job; a default limit does not. */
function toJobTimeoutMs(
  { timeLimit: { ms, isExplicit } }: CallRequest,
  { jobTimeoutMs }: ResolvedOptions,
): number {
  return isExplicit && ms !== null ? ms : jobTimeoutMs;
}

/** A service with a restart policy runs in a restart loop. */
function toRunCommand(
  command: string,
  { service }: CallRequest,
  { stateDirectory }: ResolvedOptions,
): string {
  if (service === null || service.restart === 'never') return command;
  return renderRestartLoop({ command, policy: service.restart, runsDirectory: join(stateDirectory, 'runs') });
}

/** The log of a service keeps its beginning and its latest part. */
function maxOutputBytes({ service }: CallRequest, { storage: { maxRunBytes } }: ResolvedOptions): number {
  return service === null ? maxRunBytes : Math.min(maxRunBytes, SERVICE_LOG_BYTES);
}

function toRunInput({ stdin }: CallRequest, { call }: CallContext): RunInput {
  if (stdin !== null) return stdin;
  return call.stdin === undefined ? { kind: 'empty' } : { kind: 'descriptor', fd: call.stdin.fd };
}

/** A terminal is both the input and the merged output. */
function toRunStreams(
  request: CallRequest,
  { terminal, context }: { readonly terminal: TerminalPlan | null; readonly context: CallContext },
): Pick<RunRequest, 'input' | 'streams' | 'terminal'> {
  if (terminal !== null) return { input: { kind: 'open' }, streams: 'merged', terminal };
  const { call, profile } = context;
  return { input: toRunInput(request, context), streams: call.streams ?? profile.streams, terminal };
}

function toAskedStreams({ stdin }: CallRequest, terminal: TerminalPlan | null): Record<string, unknown> {
  if (terminal === null) return { input: stdin?.kind ?? 'empty', terminal };
  const { columns, rows } = terminal;
  return { input: 'open', terminal: { columns, rows } };
}

function toLabel(command: string): string {
  const [line = ''] = command.trim().split('\n');
  return line.length <= LABEL_LENGTH ? line : `${line.slice(0, LABEL_LENGTH)}…`;
}

function renderDroppedVariables({ dropped }: ChildEnvironment): readonly string[] {
  return dropped.length === 0 ? [] : [`Not passed to the command: ${dropped.join(', ')} (reserved names)`];
}

type Rewritable = Pick<CallRequest, 'command' | 'cwd' | 'head' | 'tail'>;

/** Whether a leading `cd <literal path> && …` may be lifted. */
export interface CdRules {
  readonly liftsLeadingCd: boolean;
  /** `CDPATH` of the command; bash searches it for relative directories. */
  readonly cdPath: string | undefined;
}

/** Turns a leading `cd <literal path> &&` into `cwd` when the call has no `cwd` and the meaning is the same. */
export async function liftLeadingCd<T extends Rewritable>(request: T, rules: CdRules): Promise<T> {
  if (!rules.liftsLeadingCd || request.cwd !== null || !/^\s*cd\s[^&]*&&/.test(request.command))
    return request;
  const { splitLeadingCd } = await import('../syntax/command-affixes.ts');
  const found = splitLeadingCd(request.command);
  if (found === null || (rules.cdPath && !/^[./~]/.test(found.path))) return request;
  return { ...request, command: found.rest, cwd: found.path };
}

/** Turns a trailing `| head -n N` or `| tail -n N` into a limit of the shown output; explicit limits win. */
export async function liftTrailingLimit<T extends Rewritable>(request: T): Promise<T> {
  if (!/\|\s*(?:head|tail)\s/.test(request.command)) return request;
  const { splitTrailingLimit } = await import('../syntax/command-affixes.ts');
  const found = splitTrailingLimit(request.command);
  if (found === null) return request;
  return {
    ...request,
    command: found.command,
    head: request.head ?? found.head ?? null,
    tail: request.tail ?? found.tail ?? null,
  };
}

/** Whether the exit codes of the last pipeline can be recorded. */
export async function commandEndsInPipeline(command: string): Promise<boolean> {
  if (!command.includes('|')) return false;
  const { endsInPipeline } = await import('../syntax/ends-in-pipeline.ts');
  return endsInPipeline(command);
}
