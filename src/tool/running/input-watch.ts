import type { Run } from '../../engine/hosts/host.ts';
import { type InputWait, isSameWait } from '../../engine/watch/input/find-input-wait.ts';
import { findRunInputWait } from '../job/looking/input-wait.ts';
import type { CallContext } from './context.ts';

/** Between two looks. A program that is only slow to read is not blocked in the same wait for this long. */
const LOOK_EVERY_MS = 200;

export interface InputWatch {
  readonly run: Run;
  readonly onWait: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Calls back whenever the run is found to be waiting for input. */
export function watchForInput({ run, onWait, signal }: InputWatch, { store }: CallContext): void {
  if (signal.aborted) return;
  let earlier: InputWait | null = null;
  const timer = setInterval(() => {
    const stored = store.find(run.id);
    const found = stored === null ? null : findRunInputWait(stored);
    if (found !== null && earlier !== null && isSameWait(earlier, found)) onWait();
    earlier = found;
  }, LOOK_EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
