import type { WarmShellPaths } from '../run/run-directory.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { StartedCommand } from '../run/supervisor.ts';
import type { WarmShellConfig } from '../run/supervisor-spec.ts';
import type { PooledShell } from './pooled-shell.ts';
import { renderCallScript } from './pooled-shell-script.ts';
import { baseFilesStamp, ShellFactory } from './shell-factory.ts';

/** A call in its first moments, or one that has just ended, is not disturbed. */
const QUIET_MS = 5;
/** While a command runs for longer, others may come. */
const LONG_RUN_MS = 100;
/** After so many at once more are kept, for a while. */
const BURST_SIZE = 8;
const BURST_MS = 60_000;
/** Nobody called for so long: nothing is kept. */
const IDLE_SHUTDOWN_MS = 600_000;
/** So many in a row that could not be made, and we stop trying. */
const MAX_FAILURES = 3;
/** So many are made at once for calls that wait for them, and for those that will follow at once. */
const MAX_CONCURRENT_FORKS = 2;
/** After a call has waited, the next ones may have to. */
const DEMAND_WINDOW_MS = 50;
/** A call that found none waits so long for the next one: it is there before one that is started for it would be. */
const TAKE_TIMEOUT_MS = 250;
/** Closing does not wait longer for those who should go by themselves. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface ShellPoolOptions extends WarmShellPaths {
  /** How many shells are kept ready. */
  readonly size: number;
}

/** A slot with its command under way. */
export interface TakenShell {
  readonly shell: PooledShell;
  readonly started: StartedCommand;
}

/** A call that waits for the next shell. */
interface PendingTake {
  readonly request: RunRequest;
  /** Gives it one, or none. Whether it took it. */
  readonly offer: (slot: PooledShell | null) => boolean;
}

/** Shells that are started ahead and wait for their commands. */
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

  /** What commands will be started with; shells that were made for something else go. */
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

  /** A shell that has got the command of a request; `null` when none that waits can serve it. */
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
    // More at once than were kept: keep more.
    if (this.#underWay > 0) this.#burstAt = performance.now();
    return null;
  }

  /** The same for a call that found none: the next one that is made, if it can serve it and comes soon. */
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

  /** A run begins: nothing is made now, but for those who wait. */
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

  /** Those that are being made are waited for: nobody else would tell them to go. */
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

  /** The shells follow what is asked for: another ground, shell or way of reading. Never another environment: it may hold what only one call may know. */
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
    // Timers may ring a moment early.
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

  /** One that can serve a call which waits does so; else it waits itself. */
  #keep(slot: PooledShell): void {
    for (const { offer } of [...this.#waiters]) if (offer(slot)) return;
    this.#idle.push(slot);
    // One that ends before it is used was ended by its own start, or by somebody else.
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

/** What needs more than a pipe to read, or a start of its own, is started as ever. */
function canUseWarmShell({ watcher, terminal, input, external, env }: RunRequest): boolean {
  if (watcher !== 'reader' || terminal !== null || external !== undefined) return false;
  return (input.kind === 'empty' || input.kind === 'text') && isPoolableEnvironment(env);
}

/** Options in the environment would change what our own lines do, and these would show. */
function isPoolableEnvironment(env: Readonly<Record<string, string>>): boolean {
  return process.platform === 'linux' && env.SHELLOPTS === undefined && env.BASHOPTS === undefined;
}
