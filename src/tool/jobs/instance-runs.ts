import type { Run } from '../../engine/hosts/host.ts';
import { NacreError } from '../../errors.ts';

/**
 * The live runs that one instance started.
 *
 * Jobs are tracked only when they have to end with the program (`jobsAtExit: 'stop'`).
 */
export class InstanceRuns {
  readonly #foreground = new Map<string, Run>();
  readonly #jobs = new Set<Run>();
  readonly #jobsAtExit: 'keep' | 'stop';
  #closed = false;
  #killSignal: AbortSignal | undefined;

  constructor(jobsAtExit: 'keep' | 'stop') {
    this.#jobsAtExit = jobsAtExit;
  }

  requireOpen(): void {
    if (this.#closed) throw new NacreError('closed');
  }

  isForeground(id: string): boolean {
    return this.#foreground.has(id);
  }

  addForeground(run: Run): void {
    this.#foreground.set(run.id, run);
    void run.ended.then(() => this.#foreground.delete(run.id));
    // The instance was closed while this run was being started.
    if (this.#closed) void this.#stop(run);
  }

  /** Makes a foreground run a job. */
  moveToBackground(run: Run): void {
    this.#foreground.delete(run.id);
    this.addJob(run);
  }

  addJob(run: Run): void {
    if (this.#jobsAtExit === 'keep') return;
    // The exit handler is registered only while there are jobs to stop.
    if (this.#jobs.size === 0) process.on('exit', this.#stopJobsAtExit);
    this.#jobs.add(run);
    void run.ended.then(() => this.#forgetJob(run));
  }

  /**
   * Stops the runs that must not outlive the instance and waits for them; `killSignal` ends the grace period.
   */
  async close(killSignal?: AbortSignal): Promise<void> {
    this.#closed = true;
    this.#killSignal = killSignal;
    const ending = [...this.#foreground.values(), ...this.#jobs];
    if (ending.length === 0) return;
    // Jobs do not keep the event loop alive, so a timer does while their end is awaited.
    const awake = setInterval(() => undefined, 60_000);
    await Promise.all(ending.map((run) => this.#stop(run)));
    clearInterval(awake);
  }

  async #stop(run: Run): Promise<void> {
    const forget = onAbort(this.#killSignal, () => void run.stop('shutdown', 0));
    await run.stop('shutdown');
    forget();
  }

  #forgetJob(run: Run): void {
    this.#jobs.delete(run);
    if (this.#jobs.size === 0) process.off('exit', this.#stopJobsAtExit);
  }

  readonly #stopJobsAtExit = (): void => {
    for (const run of this.#jobs) run.abandon();
  };
}

/** The waits of one instance that can be ended without stopping the runs they wait for. */
export class PendingWaits {
  readonly #callbacks = new Set<() => void>();

  /** Registers a wait. The returned function removes it. */
  add(leave: () => void): () => void {
    this.#callbacks.add(leave);
    return () => this.#callbacks.delete(leave);
  }

  /** Ends all registered waits. */
  endAll(): void {
    for (const leave of [...this.#callbacks]) leave();
  }
}

/** Runs asynchronous work one piece at a time, in order. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** An aborted signal ends the wait for the turn: the work starts at once and must check the signal. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    let done = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#last = before.then(() => ended);
    try {
      await waitForTurnOrAbort(before, signal);
      return await work();
    } finally {
      done();
    }
  }
}

function waitForTurnOrAbort(turn: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const forget = onAbort(signal, resolve);
    void turn.then(() => {
      forget();
      resolve();
    });
  });
}

/**
 * Calls back once when the signal is aborted, immediately if it already is. The returned function unsubscribes.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
