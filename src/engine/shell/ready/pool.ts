import type { ReadyPlace } from '../../run/record/ready-directory.ts';
import type { RunRequest } from '../../run/request.ts';
import type { ReadyGround } from '../../run/supervise/spec.ts';
import type { Started } from '../../run/supervise/supervisor.ts';
import { Maker, stampOf } from './maker.ts';
import { renderText } from './shell-text.ts';
import type { Slot } from './slot.ts';

/** A call in its first moments, or one that has just ended, is not disturbed. */
const QUIET_MS = 5;
/** While a command runs for longer, others may come. */
const LONG_RUN_MS = 100;
/** After so many at once more are kept, for a while. */
const BURST_SIZE = 8;
const BURST_MS = 60_000;
/** Nobody called for so long: nothing is kept. */
const REST_MS = 600_000;
/** So many in a row that could not be made, and we stop trying. */
const MOST_FAILURES = 3;
/** So many are made at once for calls that wait for them, and for those that will follow at once. */
const MOST_AT_ONCE = 2;
/** After a call has waited, the next ones may have to. */
const PRESSED_MS = 50;
/** A call that found none waits so long for the next one: it is there before one that is started for it would be. */
const PATIENCE_MS = 250;
/** Closing does not wait longer for those who should go by themselves. */
const CLOSE_MS = 2_000;

export interface ReadyOptions extends ReadyPlace {
  /** How many shells are kept ready. */
  readonly size: number;
}

/** A slot with its command under way. */
export interface Taken {
  readonly slot: Slot;
  readonly started: Started;
}

/** A call that waits for the next shell. */
interface Waiter {
  readonly request: RunRequest;
  /** Gives it one, or none. Whether it took it. */
  readonly offer: (slot: Slot | null) => boolean;
}

/** Shells that are started ahead and wait for their commands. */
export class ReadyShells {
  readonly #size: number;
  readonly #maker: Maker;
  #ground: ReadyGround | null = null;
  #stamp = '';
  #idle: Slot[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #leaving = new Set<Promise<unknown>>();
  readonly #making = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;
  #lastActive = performance.now();
  #burstAt = Number.NEGATIVE_INFINITY;
  #waitedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isClosed = false;

  constructor({ size, ...place }: ReadyOptions) {
    this.#size = size;
    this.#maker = new Maker(place, (gone) => this.#remember(gone));
  }

  /** What commands will be started with; shells that were made for something else go. */
  prepare(ground: ReadyGround): void {
    if (this.#isClosed || !this.#maker.canMake || !isServable(ground.env)) return;
    const own = this.#ground;
    const isSameStart = own?.shell === ground.shell && own.env === ground.env;
    if (isSameStart && own.ground === ground.ground && own.streams === ground.streams) return;
    this.#ground = ground;
    this.#failures = 0;
    this.#dropAll();
    if (!isSameStart) this.#maker.letBrokerGo();
    this.#schedule(QUIET_MS);
  }

  /** A shell that has got the command of a request; `null` when none that waits can serve it. */
  take(request: RunRequest): Taken | null {
    if (this.#ground === null || !isReadyKind(request)) return null;
    this.#follow(request);
    while (this.#idle.length > 0) {
      const slot = this.#idle[0] as Slot;
      const started = slot.take(request);
      if (started === null && slot.isWaiting) return null;
      this.#idle.shift();
      if (started !== null) {
        this.#failures = 0;
        return { slot, started };
      }
      this.#remember(slot.gone);
    }
    // More at once than were kept: keep more.
    if (this.#underWay > 0) this.#burstAt = performance.now();
    return null;
  }

  /** The same for a call that found none: the next one that is made, if it can serve it and comes soon. */
  next(request: RunRequest): Promise<Taken | null> {
    if (!this.#isWorthWaiting(request)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (taken: Taken | null): void => {
        clearTimeout(timer);
        const at = this.#waiters.indexOf(waiter);
        if (at >= 0) this.#waiters.splice(at, 1);
        resolve(taken);
      };
      const offer = (slot: Slot | null): boolean => {
        const started = slot?.take(request) ?? null;
        settle(slot === null || started === null ? null : { slot, started });
        return started !== null;
      };
      const waiter = { request, offer };
      const timer = setTimeout(() => settle(null), PATIENCE_MS);
      this.#waiters.push(waiter);
      this.#waitedAt = performance.now();
      this.#makeForWaiters();
    });
  }

  /** A run begins: nothing is made now, but for those who wait. */
  begin(): void {
    this.#underWay += 1;
    this.#becomeActive(LONG_RUN_MS);
    this.#makeForWaiters();
  }

  end(): void {
    this.#underWay -= 1;
    this.#becomeActive(QUIET_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
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
    this.#maker.letBrokerGo();
    await Promise.all(this.#leaving);
  }

  #becomeActive(restMs: number): void {
    this.#lastActive = performance.now();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(restMs);
  }

  /** The shells follow what is asked for: another ground, shell or way of reading. Never another environment: it may hold what only one call may know. */
  #follow({ shell, streams, ground, cwd }: RunRequest): void {
    const own = this.#ground as ReadyGround;
    const isSame = own.shell === shell && own.streams === streams && own.ground === ground;
    if (isSame && (this.#idle.length === 0 || stampOf(own) === this.#stamp)) return;
    if (own.shell !== shell) this.#maker.letBrokerGo();
    this.#ground = { ...own, shell, streams, ground, cwd };
    this.#dropAll();
  }

  #isWorthWaiting(request: RunRequest): boolean {
    if (this.#ground === null || this.#isClosed || this.#failures > 0 || !isReadyKind(request)) return false;
    return renderText(request, { ground: this.#ground, directory: '/', isHome: true }) !== null;
  }

  #target(): number {
    const now = performance.now();
    if (now - this.#lastActive > REST_MS) return 0;
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
    while (this.#idle.length > target) this.#drop(this.#idle.pop() as Slot);
    if (target === 0) this.#maker.letBrokerGo();
    else if (this.#idle.length >= target) this.#schedule(BURST_MS);
    else if (this.#making.size === 0) this.#make();
  }

  #makeForWaiters(): void {
    if (this.#ground === null || this.#isClosed || this.#failures > 0) return;
    const next = performance.now() - this.#waitedAt < PRESSED_MS ? 1 : 0;
    const wanted = Math.min(MOST_AT_ONCE, this.#waiters.length + next - this.#idle.length);
    while (this.#making.size < wanted) this.#make();
  }

  #make(): void {
    if (this.#failures >= MOST_FAILURES) return;
    const making = this.#makeOne().finally(() => {
      this.#making.delete(making);
      this.#makeForWaiters();
      this.#schedule(this.#idle.length < this.#target() ? 1 : BURST_MS);
    });
    this.#making.add(making);
  }

  async #makeOne(): Promise<void> {
    const ground = this.#ground as ReadyGround;
    const stamp = stampOf(ground);
    const slot = await this.#maker.make(ground);
    if (slot === null) {
      if (this.#isClosed) return;
      this.#failures += 1;
      for (const { offer } of [...this.#waiters]) offer(null);
    } else if (this.#isClosed || ground !== this.#ground || stampOf(ground) !== stamp) this.#drop(slot);
    else {
      if (stamp !== this.#stamp) this.#dropAll();
      this.#stamp = stamp;
      this.#keep(slot);
    }
  }

  /** One that can serve a call which waits does so; else it waits itself. */
  #keep(slot: Slot): void {
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

  #drop(slot: Slot): void {
    slot.discard();
    this.#remember(slot.gone);
  }

  #remember(leaving: Promise<unknown>): void {
    const known = leaving.finally(() => this.#leaving.delete(known));
    this.#leaving.add(known);
  }
}

/** What needs more than a pipe to read, or a start of its own, is started as ever. */
function isReadyKind({ watcher, terminal, input, place, env }: RunRequest): boolean {
  if (watcher !== 'reader' || terminal !== null || place !== undefined) return false;
  return (input.kind === 'empty' || input.kind === 'text') && isServable(env);
}

/** Options in the environment would change what our own lines do, and these would show. */
function isServable(env: Readonly<Record<string, string>>): boolean {
  return process.platform === 'linux' && env.SHELLOPTS === undefined && env.BASHOPTS === undefined;
}
