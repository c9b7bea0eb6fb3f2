import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Why a run was ended from the outside, as an exit status: 128 and the number of a signal. */
export interface Interrupt {
  /** Aborted at the first reason: the command gets its grace. */
  readonly signal: AbortSignal;
  /** Aborted at the second one: no grace any more. */
  readonly killSignal: AbortSignal;
  /** `null` as long as nobody interrupted. */
  status(): number | null;
  /** Ends the run as if this signal had come. */
  interrupt(signal: NodeJS.Signals): void;
  /** Signals mean again what they meant before. */
  release(): void;
}

/** Listens to the signals by which people and programs end a command. */
export function listenForInterrupts(): Interrupt {
  const [first, second] = [new AbortController(), new AbortController()];
  let status: number | null = null;
  const interrupt = (signal: NodeJS.Signals): void => {
    if (status !== null) second.abort();
    status ??= 128 + (constants.signals[signal] ?? 0);
    first.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  return {
    signal: first.signal,
    killSignal: second.signal,
    status: () => status,
    interrupt,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    },
  };
}
