import type { WarmShellPaths } from '../run/run-directory.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { StartedCommand } from '../run/supervisor.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import type { PooledShell } from './pooled-shell.ts';
import { renderCallScript } from './pooled-shell-script.ts';
import { baseFilesStamp, ShellFactory } from './shell-factory.ts';

/** No shell is forked within this time of call activity. */
const QUIET_MS = 5;
/** While a command runs longer than this, shells are forked again. */
const LONG_RUN_MS = 100;
/** Size of the pool after concurrent calls, for BURST_MS. */
const BURST_SIZE = 8;
const BURST_MS = 60_000;
/** All shells are discarded after this time without a call. */
const IDLE_SHUTDOWN_MS = 600_000;
/** After this many consecutive failures no more shells are created. */
const MAX_FAILURES = 3;
/** Concurrent forks for waiting calls. */
const MAX_CONCURRENT_FORKS = 2;
/** After a call had to wait, one more shell is forked for the next call. */
const DEMAND_WINDOW_MS = 50;
/** How long a call waits for a shell that is being forked; a regular start would take longer. */
const TAKE_TIMEOUT_MS = 250;
/** How long `close` waits for discarded shells to exit. */
const CLOSE_TIMEOUT_MS = 2_000;

interface ShellPoolOptions extends WarmShellPaths {
  /** Number of shells in the pool. */
  readonly size: number;
}

/** A pooled shell whose command has started. */
export interface TakenShell {
  readonly shell: PooledShell;
  readonly started: StartedCommand;
}

/** A call that waits for the next shell. */
interface PendingTake {
  readonly request: RunRequest;
  /** Offers a shell, or `null` to give up; returns whether the shell was taken. */
  readonly offer: (shell: PooledShell | null) => boolean;
}

/** Starts shells in advance, which then wait for commands. */
export class ShellPool {
  readonly #size: number;
  readonly #factory: ShellFactory;
  #config: WarmShellConfig | null = null;
  #stamp = '';
  #idle: PooledShell[] = [];
  readonly #waiters: PendingTake[] = [];
  readonly #exiting = new Set<Promise<unknown>>();
  readonly #forking = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #activeRuns = 0;
  #lastActive = performance.now();
  #burstAt = Number.NEGATIVE_INFINITY;
  #lastWaitAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isClosed = false;

  constructor({ size, ...paths }: ShellPoolOptions) {
    this.#size = size;
    this.#factory = new ShellFactory(paths, (gone) => this.#trackExit(gone));
  }

  /** Sets the configuration of future commands; shells with another configuration are discarded. */
  prepare(config: WarmShellConfig): void {
    if (this.#isClosed || !this.#factory.canCreate || !isPoolableEnvironment(config.env)) return;
    const current = this.#config;
    const hasSameProcess = current?.shell === config.shell && current.env === config.env;
    if (
      hasSameProcess &&
      current.baseEnvironment === config.baseEnvironment &&
      current.streams === config.streams
    )
      return;
    this.#config = config;
    this.#failures = 0;
    this.#discardIdle();
    if (!hasSameProcess) this.#factory.closeForkServer();
    this.#schedule(QUIET_MS);
  }

  /** Starts a command in an idle shell; `null` if none can run it. */
  take(request: RunRequest): TakenShell | null {
    if (this.#config === null || !canUseWarmShell(request)) return null;
    this.#adopt(request);
    while (this.#idle.length > 0) {
      const shell = this.#idle[0] as PooledShell;
      const started = shell.take(request);
      if (started === null && shell.isWaiting) return null;
      this.#idle.shift();
      if (started !== null) {
        this.#failures = 0;
        return { shell, started };
      }
      this.#trackExit(shell.gone);
    }
    // More concurrent calls than idle shells.
    if (this.#activeRuns > 0) this.#burstAt = performance.now();
    return null;
  }

  /** Starts a command in the next shell that is created; `null` if none becomes ready in time. */
  takeNext(request: RunRequest): Promise<TakenShell | null> {
    if (!this.#canWaitFor(request)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (taken: TakenShell | null): void => {
        clearTimeout(timer);
        const at = this.#waiters.indexOf(waiter);
        if (at >= 0) this.#waiters.splice(at, 1);
        resolve(taken);
      };
      const offer = (shell: PooledShell | null): boolean => {
        const started = shell?.take(request) ?? null;
        settle(shell === null || started === null ? null : { shell, started });
        return started !== null;
      };
      const waiter = { request, offer };
      const timer = setTimeout(() => settle(null), TAKE_TIMEOUT_MS);
      this.#waiters.push(waiter);
      this.#lastWaitAt = performance.now();
      this.#forkForWaiters();
    });
  }

  /** Reports the start of a run: shells are forked only for waiting calls. */
  runStarted(): void {
    this.#activeRuns += 1;
    this.#recordActivity(LONG_RUN_MS);
    this.#forkForWaiters();
  }

  runEnded(): void {
    this.#activeRuns -= 1;
    this.#recordActivity(QUIET_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([this.#drain(), timeout]);
    clearTimeout(timer);
  }

  /** Waits for shells that are being created, because they would not exit by themselves. */
  async #drain(): Promise<void> {
    for (const { offer } of [...this.#waiters]) offer(null);
    this.#factory.close();
    await Promise.all(this.#forking);
    this.#discardIdle();
    this.#factory.closeForkServer();
    await Promise.all(this.#exiting);
  }

  #recordActivity(restMs: number): void {
    this.#lastActive = performance.now();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(restMs);
  }

  /**
   * Adopts shell, streams and base environment of a request. Not its environment variables, which may be
   * secrets of one call.
   */
  #adopt({ shell, streams, baseEnvironment, cwd }: RunRequest): void {
    const current = this.#config as WarmShellConfig;
    const isSame =
      current.shell === shell && current.streams === streams && current.baseEnvironment === baseEnvironment;
    if (isSame && (this.#idle.length === 0 || baseFilesStamp(current) === this.#stamp)) return;
    if (current.shell !== shell) this.#factory.closeForkServer();
    this.#config = { ...current, shell, streams, baseEnvironment, cwd };
    this.#discardIdle();
  }

  #canWaitFor(request: RunRequest): boolean {
    if (this.#config === null || this.#isClosed || this.#failures > 0 || !canUseWarmShell(request))
      return false;
    return renderCallScript(request, { config: this.#config, directory: '/', isHome: true }) !== null;
  }

  #target(): number {
    const now = performance.now();
    if (now - this.#lastActive > IDLE_SHUTDOWN_MS) return 0;
    return now - this.#burstAt < BURST_MS ? Math.max(this.#size, BURST_SIZE) : this.#size;
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#isClosed || this.#config === null) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
    }, ms).unref();
  }

  #tick(): void {
    const quiet = performance.now() - this.#lastActive;
    // Timers may fire a moment early.
    if (quiet + 1 < (this.#activeRuns > 0 ? LONG_RUN_MS : QUIET_MS)) {
      this.#schedule(QUIET_MS);
      return;
    }
    const target = this.#target();
    while (this.#idle.length > target) this.#discard(this.#idle.pop() as PooledShell);
    if (target === 0) this.#factory.closeForkServer();
    else if (this.#idle.length >= target) this.#schedule(BURST_MS);
    else if (this.#forking.size === 0) this.#fork();
  }

  #forkForWaiters(): void {
    if (this.#config === null || this.#isClosed || this.#failures > 0) return;
    const next = performance.now() - this.#lastWaitAt < DEMAND_WINDOW_MS ? 1 : 0;
    const wanted = Math.min(MAX_CONCURRENT_FORKS, this.#waiters.length + next - this.#idle.length);
    while (this.#forking.size < wanted) this.#fork();
  }

  #fork(): void {
    if (this.#failures >= MAX_FAILURES) return;
    const forking = this.#createShell().finally(() => {
      this.#forking.delete(forking);
      this.#forkForWaiters();
      this.#schedule(this.#idle.length < this.#target() ? 1 : BURST_MS);
    });
    this.#forking.add(forking);
  }

  async #createShell(): Promise<void> {
    const config = this.#config as WarmShellConfig;
    const stamp = baseFilesStamp(config);
    const shell = await this.#factory.create(config);
    if (shell === null) {
      if (this.#isClosed) return;
      this.#failures += 1;
      for (const { offer } of [...this.#waiters]) offer(null);
    } else if (this.#isClosed || config !== this.#config || baseFilesStamp(config) !== stamp)
      this.#discard(shell);
    else {
      if (stamp !== this.#stamp) this.#discardIdle();
      this.#stamp = stamp;
      this.#add(shell);
    }
  }

  /** Gives the shell to a waiting call, or adds it to the idle shells. */
  #add(shell: PooledShell): void {
    for (const { offer } of [...this.#waiters]) if (offer(shell)) return;
    this.#idle.push(shell);
    // A shell that exits unused was ended by its startup files or by another process.
    void shell.ended.then(() => {
      const at = this.#idle.indexOf(shell);
      if (at < 0) return;
      this.#idle.splice(at, 1);
      this.#failures += 1;
      this.#discard(shell);
      this.#schedule(QUIET_MS);
    });
  }

  #discardIdle(): void {
    for (const shell of this.#idle.splice(0)) this.#discard(shell);
  }

  #discard(shell: PooledShell): void {
    shell.discard();
    this.#trackExit(shell.gone);
  }

  #trackExit(exited: Promise<unknown>): void {
    const known = exited.finally(() => this.#exiting.delete(known));
    this.#exiting.add(known);
  }
}

/** Whether a request needs only a pipe and no start of its own. */
function canUseWarmShell({ watcher, terminal, input, external, env }: RunRequest): boolean {
  if (watcher !== 'reader' || terminal !== null || external !== undefined) return false;
  return (input.kind === 'empty' || input.kind === 'text') && isPoolableEnvironment(env);
}

/** SHELLOPTS and BASHOPTS in the environment would change the startup script and be visible in it. */
function isPoolableEnvironment(env: Readonly<Record<string, string>>): boolean {
  return process.platform === 'linux' && env.SHELLOPTS === undefined && env.BASHOPTS === undefined;
}
