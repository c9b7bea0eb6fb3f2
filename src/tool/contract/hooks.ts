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
