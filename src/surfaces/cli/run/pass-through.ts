import type { CallOptions, CallResult } from '../../../index.ts';
import type { StopSignals } from '../../serving/stop-signals.ts';
import { complain } from '../print.ts';
import { openOutlet } from './outlet.ts';

/** The way of a command's output through this program, or none. */
export interface PassThrough {
  readonly options: CallOptions;
  /** Resolves when everything has passed that still will. */
  flush(result: CallResult): Promise<void>;
}

export const NOTHING_PASSES: PassThrough = { options: {}, flush: async () => {} };

/** After a time limit nobody waits longer than this for a reader that does not read. */
const LAST_CHANCE_MS = 1_000;

/** Both streams, live, unchanged and apart. Without a reader the command has no reason to go on. */
export function passThrough(stop: StopSignals): PassThrough {
  const onBroken = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') complain(`The output cannot be written: ${error.message}`);
    stop.request('SIGPIPE');
  };
  const outlets = { out: openOutlet(1, onBroken), err: openOutlet(2, onBroken) };
  return {
    options: { streams: 'apart', onBytes: (stream, chunk) => outlets[stream].write(chunk) },
    flush: async ({ run }) => {
      const passed = Promise.all([outlets.out.flush(), outlets.err.flush()]);
      const ways: Promise<unknown>[] = [passed, aborted(stop.signal)];
      if (run.status === 'timed_out')
        ways.push(new Promise((resolve) => setTimeout(resolve, LAST_CHANCE_MS)));
      await Promise.race(ways);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
