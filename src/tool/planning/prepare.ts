import { askBefore } from '../hooks.ts';
import { wideningQuestion } from '../hosts/wider.ts';
import { readInput } from '../input/read-input.ts';
import { toPattern } from '../job/acting/pattern.ts';
import { requireUnused } from '../job/service/only-one.ts';
import type { CallContext } from '../running/context.ts';
import type { Expanded } from '../urls/expand-urls.ts';
import { expandCommand, expandValue } from '../urls/expand-urls.ts';
import { checkNames } from './environment.ts';
import type { Intercepted } from './judge.ts';
import { liftLimits, moveLeadingCd } from './normalise.ts';
import type { Plan, Ready } from './plan.ts';
import { addShell, makePlan } from './plan.ts';
import type { CallRequest } from './request.ts';

/**
 * From what a model sent to a plan, in the order the contract gives. Every check has passed when this
 * returns, and nothing has been made or started.
 */
export async function prepare(input: unknown, context: CallContext): Promise<Plan | TakenOver> {
  const { judge, options } = context;
  const asked = await readRequest(input, context);
  const moved = await moveLeadingCd(asked, cdRules(asked, context));
  const texts = moved === asked ? [asked.command] : [asked.command, moved.command];
  const { notes: hints, takenOver } = await judge.intercept(texts, moved.cwd);
  if (takenOver !== null) return { takenOver };
  const lifted = options.liftLimits ? await liftLimits(moved) : moved;
  const ready = await expandRequest(lifted, context);
  const plan = await makePlan({ ...ready, moved: moved !== asked }, context);
  const meaning = meaningOf(plan, context);
  const notes = await check(plan, { context, meaning });
  await askForMore(plan, context);
  if (plan.request.background) context.room.require();
  checkService(plan, context);
  const complete = await addShell({ ...plan, notes: [...plan.notes, ...hints, ...notes] }, context);
  // The user's own shell may have been looked at just now, and names may mean more than before.
  const later = meaningOf(plan, context);
  if (later !== meaning) await check(plan, { context, meaning: later });
  return complete;
}

/** May it run, with its names meaning what they mean in the session's shell? */
function check(
  { judged, run, mask }: Plan,
  { context: { judge, call }, meaning }: { readonly context: CallContext; readonly meaning: string },
): Promise<readonly string[]> {
  const { signal, approve } = call;
  return judge.check(judged, { cwd: run.cwd, signal, approve, mask, meaning });
}

/** More than its sandbox gives is a person's to allow, whatever the rules say of the command. */
async function askForMore({ judged, run, mask, request }: Plan, { judge, call }: CallContext): Promise<void> {
  if (request.sandbox === null) return;
  const { signal, approve } = call;
  const message = wideningQuestion(request.sandbox);
  await judge.askFor(judged, { cwd: run.cwd, signal, approve, mask, message });
}

function meaningOf({ judged }: Plan, { sessionShell }: CallContext): string {
  return sessionShell?.meaning(judged) ?? '';
}

/** Another tool has carried the call out. */
export interface TakenOver {
  readonly takenOver: NonNullable<Intercepted['takenOver']>;
}

/** One of a name at a time; a pattern that is none is said before anything runs. */
function checkService({ request: { service } }: Plan, { room }: CallContext): void {
  if (service === null) return;
  requireUnused(service.name, { live: () => room.live() });
  if (service.ready !== null && service.ready.log !== null) toPattern(service.ready.log, 'service.ready.log');
}

async function readRequest(input: unknown, context: CallContext): Promise<CallRequest> {
  const { profile, options } = context;
  const given = readInput(input, context);
  const answered = await askBefore(options.hooks, given);
  const request = profile.toRequest(answered === given ? given : readInput(answered, context), options);
  checkNames(request.env);
  return request;
}

function cdRules({ env }: CallRequest, { profile, options, sessionShell }: CallContext) {
  const { CDPATH: cdPath } = { ...options.inheritedEnv, ...options.env, ...env };
  // A session may have a `cd` of its own.
  return { movesCd: profile.movesCd && sessionShell?.hasOwnCd !== true, cdPath };
}

/** Whether there may be one of our URLs anywhere in it; most have none. */
function namesUrl({ command, cwd, env }: CallRequest): boolean {
  return [command, cwd ?? '', ...Object.values(env)].some((text) => text.includes('://'));
}

async function expandRequest(request: CallRequest, { schemes }: CallContext): Promise<Omit<Ready, 'moved'>> {
  if (!namesUrl(request)) return { request, make: [] };
  const command = await expandCommand(request.command, schemes);
  const values = await Promise.all(
    Object.entries(request.env).map(
      async ([name, value]) => [name, await expandValue(value, schemes)] as const,
    ),
  );
  const cwd: Expanded | null = request.cwd === null ? null : await expandValue(request.cwd, schemes);
  const env = Object.fromEntries(values.map(([name, { text }]) => [name, text]));
  const make = [command, ...values.map(([, value]) => value), ...(cwd === null ? [] : [cwd])];
  return {
    request: { ...request, command: command.text, env, cwd: cwd === null ? null : cwd.text },
    make: [...new Set(make.flatMap((part) => part.make))],
  };
}
