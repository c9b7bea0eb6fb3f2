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
  readonly offer: (slot: PooledShell | null) => boolean;
}

/** Starts shells in advance, which then wait for commands. */
export class ShellPool {
  readonly #size: number;
  readonly #maker: ShellFactory;
  #ground: WarmShellConfig | null = null;
  #stamp = '';
  #idle: PooledShell[] = [];
  readonly #waiters: PendingTake[] = [];
  readonly #leaving = new Set<Promise<unknown>>();
  readonly #making = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;
  #lastActive = performance.now();
  #burstAt = Number.NEGATIVE_INFINITY;
  #waitedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isClosed = false;

  constructor({ size, ...place }: ShellPoolOptions) {
    this.#size = size;
    this.#maker = new ShellFactory(place, (gone) => this.#remember(gone));
  }

  /** Sets the configuration of future commands; shells with another configuration are discarded. */
  prepare(ground: WarmShellConfig): void {
    if (this.#isClosed || !this.#maker.canMake || !isPoolableEnvironment(ground.env)) return;
    const own = this.#ground;
    const isSameStart = own?.shell === ground.shell && own.env === ground.env;
    if (isSameStart && own.baseEnvironment === ground.baseEnvironment && own.streams === ground.streams)
      return;
    this.#ground = ground;
    this.#failures = 0;
    this.#dropAll();
    if (!isSameStart) this.#maker.closeForkServer();
    this.#schedule(QUIET_MS);
  }

  /** Starts a command in an idle shell; `null` if none can run it. */
  take(request: RunRequest): TakenShell | null {
    if (this.#ground === null || !canUseWarmShell(request)) return null;
    this.#follow(request);
    while (this.#idle.length > 0) {
      const slot = this.#idle[0] as PooledShell;
      const started = slot.take(request);
      if (started === null && slot.isWaiting) return null;
      this.#idle.shift();
      if (started !== null) {
        this.#failures = 0;
        return { shell: slot, started };
      }
      this.#remember(slot.gone);
    }
    // More concurrent calls than idle shells.
    if (this.#underWay > 0) this.#burstAt = performance.now();
    return null;
  }

  /** Starts a command in the next shell that is created; `null` if none becomes ready in time. */
  takeNext(request: RunRequest): Promise<TakenShell | null> {
    if (!this.#isWorthWaiting(request)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (taken: TakenShell | null): void => {
        clearTimeout(timer);
        const at = this.#waiters.indexOf(waiter);
        if (at >= 0) this.#waiters.splice(at, 1);
        resolve(taken);
      };
      const offer = (slot: PooledShell | null): boolean => {
        const started = slot?.take(request) ?? null;
        settle(slot === null || started === null ? null : { shell: slot, started });
        return started !== null;
      };
      const waiter = { request, offer };
      const timer = setTimeout(() => settle(null), TAKE_TIMEOUT_MS);
      this.#waiters.push(waiter);
      this.#waitedAt = performance.now();
      this.#makeForWaiters();
    });
  }

  /** Reports the start of a run: shells are forked only for waiting calls. */
  runStarted(): void {
    this.#underWay += 1;
    this.#becomeActive(LONG_RUN_MS);
    this.#makeForWaiters();
  }

  runEnded(): void {
    this.#underWay -= 1;
    this.#becomeActive(QUIET_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([this.#letGo(), patience]);
    clearTimeout(timer);
  }

  /** Waits for shells that are being created, because they would not exit by themselves. */
  async #letGo(): Promise<void> {
    for (const { offer } of [...this.#waiters]) offer(null);
    this.#maker.close();
    await Promise.all(this.#making);
    this.#dropAll();
    this.#maker.closeForkServer();
    await Promise.all(this.#leaving);
  }

  #becomeActive(restMs: number): void {
    this.#lastActive = performance.now();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(restMs);
  }

  /**
   * Adopts shell, streams and base environment of a request. Not its environment variables, which may be
   * secrets of one call.
   */
  #follow({ shell, streams, baseEnvironment, cwd }: RunRequest): void {
    const own = this.#ground as WarmShellConfig;
    const isSame = own.shell === shell && own.streams === streams && own.baseEnvironment === baseEnvironment;
    if (isSame && (this.#idle.length === 0 || baseFilesStamp(own) === this.#stamp)) return;
    if (own.shell !== shell) this.#maker.closeForkServer();
    this.#ground = { ...own, shell, streams, baseEnvironment: baseEnvironment, cwd };
    this.#dropAll();
  }

  #isWorthWaiting(request: RunRequest): boolean {
    if (this.#ground === null || this.#isClosed || this.#failures > 0 || !canUseWarmShell(request))
      return false;
    return renderCallScript(request, { config: this.#ground, directory: '/', isHome: true }) !== null;
  }

  #target(): number {
    const now = performance.now();
    if (now - this.#lastActive > IDLE_SHUTDOWN_MS) return 0;
    return now - this.#burstAt < BURST_MS ? Math.max(this.#size, BURST_SIZE) : this.#size;
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#isClosed || this.#ground === null) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
    }, ms).unref();
  }

  #tick(): void {
    const quiet = performance.now() - this.#lastActive;
    // Timers may fire a moment early.
    if (quiet + 1 < (this.#underWay > 0 ? LONG_RUN_MS : QUIET_MS)) {
      this.#schedule(QUIET_MS);
      return;
    }
    const target = this.#target();
    while (this.#idle.length > target) this.#drop(this.#idle.pop() as PooledShell);
    if (target === 0) this.#maker.closeForkServer();
    else if (this.#idle.length >= target) this.#schedule(BURST_MS);
    else if (this.#making.size === 0) this.#make();
  }

  #makeForWaiters(): void {
    if (this.#ground === null || this.#isClosed || this.#failures > 0) return;
    const next = performance.now() - this.#waitedAt < DEMAND_WINDOW_MS ? 1 : 0;
    const wanted = Math.min(MAX_CONCURRENT_FORKS, this.#waiters.length + next - this.#idle.length);
    while (this.#making.size < wanted) this.#make();
  }

  #make(): void {
    if (this.#failures >= MAX_FAILURES) return;
    const making = this.#makeOne().finally(() => {
      this.#making.delete(making);
      this.#makeForWaiters();
      this.#schedule(this.#idle.length < this.#target() ? 1 : BURST_MS);
    });
    this.#making.add(making);
  }

  async #makeOne(): Promise<void> {
    const ground = this.#ground as WarmShellConfig;
    const stamp = baseFilesStamp(ground);
    const slot = await this.#maker.make(ground);
    if (slot === null) {
      if (this.#isClosed) return;
      this.#failures += 1;
      for (const { offer } of [...this.#waiters]) offer(null);
    } else if (this.#isClosed || ground !== this.#ground || baseFilesStamp(ground) !== stamp)
      this.#drop(slot);
    else {
      if (stamp !== this.#stamp) this.#dropAll();
      this.#stamp = stamp;
      this.#keep(slot);
    }
  }

  /** Gives the shell to a waiting call, or adds it to the idle shells. */
  #keep(slot: PooledShell): void {
    for (const { offer } of [...this.#waiters]) if (offer(slot)) return;
    this.#idle.push(slot);
    // A shell that exits unused was ended by its startup files or by another process.
    void slot.ended.then(() => {
      const at = this.#idle.indexOf(slot);
      if (at < 0) return;
      this.#idle.splice(at, 1);
      this.#failures += 1;
      this.#drop(slot);
      this.#schedule(QUIET_MS);
    });
  }

  #dropAll(): void {
    for (const slot of this.#idle.splice(0)) this.#drop(slot);
  }

  #drop(slot: PooledShell): void {
    slot.discard();
    this.#remember(slot.gone);
  }

  #remember(leaving: Promise<unknown>): void {
    const known = leaving.finally(() => this.#leaving.delete(known));
    this.#leaving.add(known);
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
