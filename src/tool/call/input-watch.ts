import type { Run } from '../../engine/hosts/host.ts';
import { type InputWait, isSameInputWait } from '../../engine/watch/input-wait.ts';
import { findRunInputWait } from '../jobs/input-wait.ts';
import type { CallContext } from './context.ts';

/** Between two looks. A program that is only slow to read is not blocked in the same wait for this long. */
const INPUT_POLL_MS = 200;

export interface InputWatchRequest {
  readonly run: Run;
  readonly onWait: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Calls back whenever the run is found to be waiting for input. */
export function watchForInput({ run, onWait, signal }: InputWatchRequest, { store }: CallContext): void {
  if (signal.aborted) return;
  let earlier: InputWait | null = null;
  const timer = setInterval(() => {
    const stored = store.find(run.id);
    const found = stored === null ? null : findRunInputWait(stored);
    if (found !== null && earlier !== null && isSameInputWait(earlier, found)) onWait();
    earlier = found;
  }, INPUT_POLL_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
