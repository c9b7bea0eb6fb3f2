import type { Run, RunEnd } from '../../engine/hosts/host.ts';
import type { CallOptions } from '../call-options.ts';

/** Waits for the end of a run; the caller's signals end it. */
export async function follow(run: Run, { signal, killSignal }: CallOptions): Promise<RunEnd> {
  const letGo = [
    whenAborted(signal, () => void run.stop('abort')),
    whenAborted(killSignal, () => void run.stop('abort', 0)),
  ];
  try {
    return await run.ended;
  } finally {
    for (const forget of letGo) forget();
  }
}

/** Calls back once, at once if it has happened already. What it returns forgets about it. */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
