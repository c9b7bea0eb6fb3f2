import { statSync } from 'node:fs';
import { ReadyDirectory, type ReadyPlace } from '../../run/record/ready-directory.ts';
import { sweepReady } from '../../run/record/sweep-ready.ts';
import type { RunRequest } from '../../run/request.ts';
import { type ReadyGround, renderReadySpec } from '../../run/supervise/spec.ts';
import type { Started } from '../../run/supervise/supervisor.ts';
import { Broker } from './broker.ts';
import { bashName, findSetsid } from './find-programs.ts';
import { renderWaiter } from './shell-text.ts';
import { markOf, Slot } from './slot.ts';

/** A call in its first moments, or one that has just ended, is not disturbed. */
const QUIET_MS = 10;
/** While a command runs for longer, others may come. */
const LONG_RUN_MS = 100;
/** After so many at once more are kept, for a while. */
const BURST_SIZE = 8;
const BURST_MS = 60_000;
/** Nobody called for so long: nothing is kept. */
const REST_MS = 600_000;
/** So many in a row that could not be made, and we stop trying. */
const MOST_FAILURES = 3;
/** A shell that does not wait for its command after this long never will. */
const READY_MS = 10_000;
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

/** Shells that are started ahead and wait for their commands. */
export class ReadyShells {
  readonly #options: ReadyOptions;
  readonly #setsid: string | null = findSetsid();
  #ground: ReadyGround | null = null;
  #stamp = '';
  #broker: Broker | null = null;
  #idle: Slot[] = [];
  readonly #leaving = new Set<Promise<unknown>>();
  #making: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;
  #lastActive = performance.now();
  #burstAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isSwept = false;
  #named: { readonly ground: ReadyGround; readonly name: string | null } | undefined;
  #giveUp: () => void = () => undefined;
  #isClosed = false;

  constructor(options: ReadyOptions) {
    this.#options = options;
  }

  /** What commands will be started with; shells that were made for something else go. */
  prepare(ground: ReadyGround): void {
    if (this.#isClosed || this.#setsid === null || !isServable(ground.env)) return;
    // The broker reads lines.
    if (this.#options.ready.includes('\n')) return;
    const own = this.#ground;
    const isSameStart = own?.shell === ground.shell && own.env === ground.env;
    if (isSameStart && own.ground === ground.ground && own.streams === ground.streams) return;
    this.#ground = ground;
    this.#failures = 0;
    this.#dropAll();
    if (!isSameStart) this.#closeBroker();
    this.#schedule(QUIET_MS);
  }

  /** A shell that has got the command of a request; `null` when none can serve it. */
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
      this.#see(slot);
    }
    // More at once than were kept: keep more.
    if (this.#underWay > 1) this.#burstAt = performance.now();
    return null;
  }

  /** A run begins: nothing is made now. */
  begin(): void {
    this.#underWay += 1;
    this.#lastActive = performance.now();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(LONG_RUN_MS);
  }

  end(): void {
    this.#underWay -= 1;
    this.#lastActive = performance.now();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(QUIET_MS);
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

  /** One that is being made is waited for: nobody else would tell it to go. */
  async #letGo(): Promise<void> {
    this.#giveUp();
    await this.#making;
    this.#dropAll();
    this.#closeBroker();
    await Promise.all(this.#leaving);
  }

  /** The shells follow what is asked for: another ground, shell or way of reading. Never another environment: it may hold what only one call may know. */
  #follow({ shell, streams, ground, cwd }: RunRequest): void {
    const own = this.#ground as ReadyGround;
    const isSame = own.shell === shell && own.streams === streams && own.ground === ground;
    if (isSame && (this.#idle.length === 0 || this.#stampNow() === this.#stamp)) return;
    if (own.shell !== shell) this.#closeBroker();
    this.#ground = { ...own, shell, streams, ground, cwd };
    this.#dropAll();
  }

  #target(): number {
    const now = performance.now();
    if (now - this.#lastActive > REST_MS) return 0;
    const { size } = this.#options;
    return now - this.#burstAt < BURST_MS ? Math.max(size, BURST_SIZE) : size;
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
    if (target === 0) this.#closeBroker();
    else if (this.#idle.length >= target) this.#schedule(BURST_MS);
    else if (this.#failures < MOST_FAILURES) this.#make();
  }

  #make(): void {
    this.#making ??= this.#makeOne().finally(() => {
      this.#making = null;
      this.#schedule(this.#idle.length < this.#target() ? 1 : BURST_MS);
    });
  }

  async #makeOne(): Promise<void> {
    const ground = this.#ground as ReadyGround;
    let directory: ReadyDirectory | undefined;
    try {
      this.#sweepOnce();
      const broker = this.#openBroker(ground);
      this.#stamp = this.#stampNow();
      const home = { cwd: ground.cwd, mark: markOf(ground.cwd) };
      const waiter = renderWaiter(ground, this.#nameOf(ground));
      directory = new ReadyDirectory(this.#options, { ground, waiter, setsid: this.#setsid as string });
      const made = await broker.make(directory.id, directory.waiting);
      if (made === null) throw new Error('no shell was made');
      const slot = new Slot(made, { directory, ground, home });
      if ((await this.#isReady(slot)) && !this.#isClosed && ground === this.#ground) this.#keep(slot);
      else this.#drop(slot);
    } catch {
      directory?.remove();
      this.#failures += 1;
      this.#closeBroker();
    }
  }

  /** Looked for once for each ground. */
  #nameOf(ground: ReadyGround): string | null {
    if (this.#named?.ground !== ground) this.#named = { ground, name: bashName(ground.env.PATH) };
    return this.#named.name;
  }

  /** A ground, or a file of the user's, may take its time, or never come to an end. */
  async #isReady(slot: Slot): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), READY_MS).unref();
      this.#giveUp = () => resolve(false);
    });
    const isReady = await Promise.race([slot.ready, slot.ended.then(() => false), tooLate]);
    clearTimeout(timer);
    if (!isReady && !this.#isClosed) this.#failures += 1;
    return isReady;
  }

  #keep(slot: Slot): void {
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

  #openBroker(ground: ReadyGround): Broker {
    if (this.#broker?.isFit === false) this.#closeBroker();
    // The spec splits the environment: what changes bash itself goes around it.
    const { env } = renderReadySpec(ground, { id: '', bootId: '', setsid: '' });
    this.#broker ??= new Broker({ shell: ground.shell, env });
    return this.#broker;
  }

  #closeBroker(): void {
    if (this.#broker === null) return;
    this.#remember(this.#broker.ended);
    this.#broker.close();
    this.#broker = null;
  }

  #dropAll(): void {
    for (const slot of this.#idle.splice(0)) this.#drop(slot);
  }

  #drop(slot: Slot): void {
    slot.discard();
    this.#see(slot);
  }

  #see(slot: Slot): void {
    this.#remember(slot.gone);
  }

  #remember(leaving: Promise<unknown>): void {
    const known = leaving.finally(() => this.#leaving.delete(known));
    this.#leaving.add(known);
  }

  /** Changes when a file that the shells have read does, or what they have from this program. */
  #stampNow(): string {
    const { ground, env } = this.#ground as ReadyGround;
    const files = [ground, env.BASH_ENV ?? null].map((file) => (file === null ? '' : stampOf(file)));
    return [process.umask(), ...files].join(' ');
  }

  #sweepOnce(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    sweepReady(this.#options);
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

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeMs}`;
}
