/** Calls back once, at once if it has happened already. What it returns forgets about it. */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
