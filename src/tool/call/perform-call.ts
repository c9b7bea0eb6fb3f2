import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import type { ShellState } from '../../engine/shell/shell-state.ts';
import { toGroupedNumber } from '../../engine/text/format-size.ts';
import { NacreError } from '../../errors.ts';
import type { CallInput, HookAnswer, Hooks } from '../contract/hooks.ts';
import { badInputError, type InputSchema, parseSchemaInput } from '../contract/input-schema.ts';
import type { CallResult } from '../contract/result.ts';
import { parseOutputPattern, requireServiceNameFree } from '../jobs/services.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { renderEscalationQuestion } from '../profiles/host-fields.ts';
import type { CallRequest, Profile } from '../profiles/profile.ts';
import { type ExpandedText, expandCommandUrls, expandValueUrl } from '../urls/expand-urls.ts';
import { checkVariableNames, type PreparedRequest } from './call-environment.ts';
import { buildRefusedResult, buildTakenOverResult, buildUnstartedResult } from './call-results.ts';
import type { CallContext } from './context.ts';
import {
  addSessionShell,
  type CallPlan,
  type CdRules,
  liftLeadingCd,
  liftTrailingLimit,
  planCall,
} from './plan-call.ts';
import type { InterceptResult } from './policy-gate.ts';
import { runForeground } from './run-foreground.ts';
import { startJob } from './start-job.ts';
import { journalRefusal } from './start-run.ts';

/**
 * Carries out one call, from its input to its result. An abort is a result with the status `aborted`, and
 * every other `NacreError` is a result with the status `refused`.
 */
export async function performCall(input: unknown, context: CallContext): Promise<CallResult> {
  if (isAborted(context)) return buildUnstartedResult(context);
  try {
    const prepared = await prepareCall(input, context);
    if ('takenOver' in prepared) return buildTakenOverResult(prepared.takenOver, context);
    return await executePlan(prepared, context);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    // The abort withdraws a pending approval, which then fails as a refusal.
    if (isAborted(context)) return buildUnstartedResult(context);
    const notes = journalRefusal({ input, error }, context);
    const result = buildRefusedResult(error, context);
    return { ...result, run: { ...result.run, notes } };
  }
}

function isAborted({ call: { signal, killSignal } }: CallContext): boolean {
  return signal?.aborted === true || killSignal?.aborted === true;
}

async function executePlan(plan: CallPlan, context: CallContext): Promise<CallResult> {
  if (isAborted(context)) return buildUnstartedResult(context);
  context.instanceRuns.requireOpen();
  for (const directory of plan.directoriesToCreate) createDirectory(directory);
  if (plan.request.background) return startJob(plan, context);
  if (plan.run.terminal === null) return runForeground(plan, context);
  return context.terminalQueue.run(
    async () => (isAborted(context) ? buildUnstartedResult(context) : runForeground(plan, context)),
    context.call.signal,
  );
}

function createDirectory(directory: string): void {
  try {
    makePrivateDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('store_unusable', { directory, reason }, { cause });
  }
}

/** Turns an input into a plan. All checks are done when it returns, and nothing was created or started. */
export async function prepareCall(input: unknown, context: CallContext): Promise<CallPlan | TakenOverCall> {
  const { policyGate, options, sessionShell } = context;
  const given = await parseRequest(input, context);
  const state = sessionShell?.state ?? null;
  const moved = await liftLeadingCd(given, toCdRules(given, state, context));
  const texts = moved === given ? [given.command] : [given.command, moved.command];
  const { notes: hints, takenOver } = await policyGate.intercept(texts, moved.cwd);
  if (takenOver !== null) return { takenOver };
  const lifted = options.liftLimits ? await liftTrailingLimit(moved) : moved;
  const ready = await expandRequestUrls(lifted, context);
  const plan = await planCall({ ...ready, moved: moved !== given, state }, context);
  const definitions = state === null ? '' : (sessionShell?.definitionsFor(plan.policyText, state) ?? '');
  const notes = await checkPlanWithPolicy(plan, definitions, context);
  await requestSandboxEscalation(plan, context);
  if (plan.request.background) context.jobLimiter.requireCapacity();
  checkService(plan, context);
  const complete = await addSessionShell({ ...plan, notes: [...plan.notes, ...hints, ...notes] }, context);
  // The snapshot of the user's shell may be new, or another call may have changed the session's state.
  const restored = complete.shell.definitions ?? definitions;
  if (restored !== definitions) await checkPlanWithPolicy(plan, restored, context);
  return complete;
}

/** Checks the command with the definitions that its names have in the session's shell. */
function checkPlanWithPolicy(
  { policyText, run, mask }: CallPlan,
  definitions: string,
  { policyGate, call: { signal, approve } }: CallContext,
): Promise<readonly string[]> {
  return policyGate.checkCommand(policyText, { cwd: run.cwd, signal, approve, mask, definitions });
}

/** A wider sandbox needs the approval of a person, whatever the rules decide. */
async function requestSandboxEscalation(
  { policyText, run, mask, request }: CallPlan,
  { policyGate, call }: CallContext,
): Promise<void> {
  if (request.sandbox === null) return;
  const { signal, approve } = call;
  const message = renderEscalationQuestion(request.sandbox);
  await policyGate.requireApproval(policyText, { cwd: run.cwd, signal, approve, mask, message });
}

/** A call that another tool carried out. */
export interface TakenOverCall {
  readonly takenOver: NonNullable<InterceptResult['takenOver']>;
}

/** Rejects a service name that is in use and an invalid pattern before anything runs. */
function checkService({ request: { service } }: CallPlan, { jobLimiter }: CallContext): void {
  if (service === null) return;
  requireServiceNameFree(service.name, { listLiveJobs: () => jobLimiter.listLiveJobs() });
  if (service.ready !== null && service.ready.log !== null)
    parseOutputPattern(service.ready.log, 'service.ready.log');
}

async function parseRequest(input: unknown, context: CallContext): Promise<CallRequest> {
  const { profile, options } = context;
  const given = parseCallInput(input, context);
  const answered = await runBeforeHook(options.hooks, given);
  const request = profile.toRequest(answered === given ? given : parseCallInput(answered, context), options);
  checkVariableNames(request.env);
  return request;
}

function toCdRules(
  { env }: CallRequest,
  state: ShellState | null,
  { profile, options }: CallContext,
): CdRules {
  const { CDPATH: cdPath } = { ...options.inheritedEnv, ...options.env, ...env };
  const redefinesCd = Boolean(state?.functions.cd ?? state?.aliases.cd ?? state?.variables.CDPATH);
  return { liftsLeadingCd: profile.liftsLeadingCd && !redefinesCd, cdPath };
}

function mentionsUrl({ command, cwd, env }: CallRequest): boolean {
  return [command, cwd ?? '', ...Object.values(env)].some((text) => text.includes('://'));
}

async function expandRequestUrls(
  request: CallRequest,
  { schemes }: CallContext,
): Promise<Pick<PreparedRequest, 'request' | 'directoriesToCreate'>> {
  if (!mentionsUrl(request)) return { request, directoriesToCreate: [] };
  const command = await expandCommandUrls(request.command, schemes);
  const values = await Promise.all(
    Object.entries(request.env).map(
      async ([name, value]) => [name, await expandValueUrl(value, schemes)] as const,
    ),
  );
  const cwd: ExpandedText | null = request.cwd === null ? null : await expandValueUrl(request.cwd, schemes);
  const env = Object.fromEntries(values.map(([name, { text }]) => [name, text]));
  const make = [command, ...values.map(([, value]) => value), ...(cwd === null ? [] : [cwd])];
  return {
    request: { ...request, command: command.text, env, cwd: cwd === null ? null : cwd.text },
    directoriesToCreate: [...new Set(make.flatMap((part) => part.directoriesToCreate))],
  };
}

/** What an input is validated against. */
export interface InputRules {
  readonly profile: Profile;
  readonly schema: InputSchema;
  readonly options: ResolvedOptions;
}

/** Validates an input against the schema of the profile. */
export function parseCallInput(input: unknown, { profile, schema, options }: InputRules): CallInput {
  const allowed = options.async.enabled ? input : dropBackgroundField(input, { profile, schema });
  const fields = parseSchemaInput(allowed, schema);
  checkCommandLength(fields.command as string, profile.maxCommandLength);
  return fields;
}

/** With jobs disabled, requesting a job is a specific error, and an explicit `false` or `null` is accepted. */
function dropBackgroundField(input: unknown, { profile, schema }: Omit<InputRules, 'options'>): unknown {
  const { background } = profile;
  if (background === null || typeof input !== 'object' || input === null) return input;
  const { [background.field]: value, ...others } = input as Record<string, unknown>;
  if (value === background.value) throw new NacreError('async_disabled');
  const isLeftOut = value === false || value === null || value === undefined;
  return isLeftOut && !Object.hasOwn(schema.properties, background.field) ? others : input;
}

/** Requires a command that is not blank and not too long. */
export function checkCommandLength(command: string, maxLength: number): void {
  if (command.trim() === '') throw badInputError('command', 'is empty; it takes the shell command to run');
  if (command.length <= maxLength) return;
  const [got, most] = [toGroupedNumber(command.length), toGroupedNumber(maxLength)];
  throw badInputError(
    'command',
    `has ${got} characters and may have ${most}: write it to a file, then run the file`,
  );
}

/** Runs the hook before a call and returns the input to use. */
export async function runBeforeHook(hooks: Hooks, input: CallInput): Promise<CallInput> {
  const answer = await callBeforeHook(hooks, input);
  if (answer === undefined || answer === null) return input;
  if ('refuse' in answer) throw new NacreError('blocked_by_policy', { message: answer.refuse });
  return answer.input;
}

async function callBeforeHook(hooks: Hooks, input: CallInput): Promise<HookAnswer | undefined> {
  try {
    return await hooks.before?.(structuredClone(input));
  } catch (cause) {
    throw new NacreError('hook_failed', { reason: hookErrorMessage(cause) }, { cause });
  }
}

/** Runs the hook after a call; a hook that throws adds a note to the result. */
export async function runAfterHook(
  hooks: Hooks,
  call: { input: unknown; result: CallResult },
): Promise<CallResult> {
  const { result } = call;
  try {
    await hooks.after?.(call);
    return result;
  } catch (cause) {
    const note = `The hook after the run failed: ${hookErrorMessage(cause)}`;
    return { ...result, run: { ...result.run, notes: [...result.run.notes, note] } };
  }
}

function hookErrorMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
