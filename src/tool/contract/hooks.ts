import type { CallResult } from './result.ts';

/** Validated input of a call: the fields of the profile without those that were `null`. */
export type CallInput = Readonly<Record<string, unknown>>;

/** Answer of a `before` hook. `undefined` leaves the call unchanged. */
export type HookAnswer =
  | { readonly input: CallInput }
  /** Reason for the refusal, shown to the model. */
  | { readonly refuse: string };

/** Functions of the caller that run before and after each command. */
export interface Hooks {
  /**
   * Changes the input, which is then validated again, or refuses the call. A hook that throws refuses the call.
   */
  readonly before?: (input: CallInput) => HookAnswer | undefined | Promise<HookAnswer | undefined>;
  /** Gets every result, including refusals. A hook that throws adds a note to the result. */
  readonly after?: (call: { readonly input: unknown; readonly result: CallResult }) => void | Promise<void>;
}
