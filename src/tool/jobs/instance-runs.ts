import type { Run } from '../../engine/hosts/host.ts';
import { NacreError } from '../../errors.ts';
import { onAbort } from './serial-queue.ts';

/**
 * The runs that one instance started and that still run.
 *
 * Jobs go on by themselves; they are held here only where they are to end with the program.
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
    // Its start was under way when the instance was closed.
    if (this.#closed) void this.#stop(run);
  }

  /** Nobody waits for it any more: it is a job now. */
  moveToBackground(run: Run): void {
    this.#foreground.delete(run.id);
    this.addJob(run);
  }

  addJob(run: Run): void {
    if (this.#jobsAtExit === 'keep') return;
    // A handler is there only while there is something to end.
    if (this.#jobs.size === 0) process.on('exit', this.#stopJobsAtExit);
    this.#jobs.add(run);
    void run.ended.then(() => this.#forgetJob(run));
  }

  /** Stops the runs that do not outlive the instance, and waits for that; `killSignal` ends the grace period. */
  async close(killSignal?: AbortSignal): Promise<void> {
    this.#closed = true;
    this.#killSignal = killSignal;
    const ending = [...this.#foreground.values(), ...this.#jobs];
    if (ending.length === 0) return;
    // A job keeps no program alive, so something must while its end is waited for.
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

/** The waits of one instance that can be ended while what they wait for goes on. */
export class PendingWaits {
  readonly #callbacks = new Set<() => void>();

  /** What it returns forgets the wait. */
  add(leave: () => void): () => void {
    this.#callbacks.add(leave);
    return () => this.#callbacks.delete(leave);
  }

  /** Ends every wait there is. */
  endAll(): void {
    for (const leave of [...this.#callbacks]) leave();
  }
}
