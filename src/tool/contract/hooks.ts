import { NacreError } from '../../errors.ts';
import type { CallResult } from './result.ts';

/** A call's input after it was checked: the fields of the profile, without those that were `null`. */
export type CallInput = Readonly<Record<string, unknown>>;

/** What a hook before a run may answer. Nothing at all lets the call go on as it is. */
export type HookAnswer =
  | { readonly input: CallInput }
  /** Why the call is refused; the model reads it. */
  | { readonly refuse: string };

/** Your own code around a run. */
export interface Hooks {
  /** May change the input, which is then checked again, or refuse the call. One that throws refuses it. */
  readonly before?: (input: CallInput) => HookAnswer | undefined | Promise<HookAnswer | undefined>;
  /** Sees every result, refusals included. One that throws leaves the result as it is, with a note. */
  readonly after?: (call: { readonly input: unknown; readonly result: CallResult }) => void | Promise<void>;
}

/** The input to go on with: the hook's, or the one it was shown. */
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

/** Shows a result to the hook; the result then carries a note if the hook failed. */
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
