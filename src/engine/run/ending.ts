/** Why *we* ended a command. */
export type StopReason = 'timeout' | 'abort' | 'kill' | 'shutdown' | 'output_limit';

/** How a command ended. Exactly one of these is true, so exactly one can be expressed. */
export type Ending =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string; readonly number: number }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly forced: boolean }
  | { readonly kind: 'lost'; readonly why: string };
