import { statSync } from 'node:fs';
import { ReadyDirectory, type ReadyPlace } from '../../run/record/ready-directory.ts';
import { sweepReady } from '../../run/record/sweep-ready.ts';
import { type ReadyGround, renderReadySpec } from '../../run/supervise/spec.ts';
import { Broker } from './broker.ts';
import { bashName, findSetsid } from './find-programs.ts';
import { renderWaiter } from './shell-text.ts';
import { markOf, Slot } from './slot.ts';

/** A shell that does not wait for its command after this long never will. */
const READY_MS = 10_000;

/** Makes shells that wait, one directory and one line to the broker each. */
export class Maker {
  readonly #place: ReadyPlace;
  readonly #setsid: string | null = findSetsid();
  readonly #leaving: (gone: Promise<unknown>) => void;
  readonly #giveUps = new Set<() => void>();
  #broker: Broker | null = null;
  #isSwept = false;
  #named: { readonly ground: ReadyGround; readonly name: string | null } | undefined;
  #isClosed = false;

  /** `leaving` is told of everybody who was sent away, and when they are gone. */
  constructor(place: ReadyPlace, leaving: (gone: Promise<unknown>) => void) {
    this.#place = place;
    this.#leaving = leaving;
  }

  /** Whether shells can be made here at all: the broker reads lines, and somebody must give each a session. */
  get canMake(): boolean {
    return this.#setsid !== null && !this.#place.ready.includes('\n');
  }

  /** One that waits for its command; `null`: there will be none. */
  async make(ground: ReadyGround): Promise<Slot | null> {
    let directory: ReadyDirectory | undefined;
    try {
      this.#sweepOnce();
      const broker = this.#openBroker(ground);
      const home = { cwd: ground.cwd, mark: markOf(ground.cwd) };
      const waiter = renderWaiter(ground, this.#nameOf(ground));
      directory = new ReadyDirectory(this.#place, { ground, waiter, setsid: this.#setsid as string });
      const made = await broker.make(directory.id, directory.waiting);
      if (made === null) throw new Error('no shell was made');
      const slot = new Slot(made, { directory, ground, home });
      if (await this.#isReady(slot)) return slot;
      // It does not listen: something that it reads at its start keeps it.
      const { directory: own } = slot;
      slot.terminate();
      slot.discard();
      this.#leaving(slot.gone.then(() => own.remove()));
      return null;
    } catch {
      directory?.remove();
      this.letBrokerGo();
      return null;
    }
  }

  /** The next one is made by another. */
  letBrokerGo(): void {
    if (this.#broker === null) return;
    this.#leaving(this.#broker.ended);
    this.#broker.close();
    this.#broker = null;
  }

  /** Nothing more is waited for. */
  close(): void {
    this.#isClosed = true;
    for (const giveUp of this.#giveUps) giveUp();
  }

  #openBroker(ground: ReadyGround): Broker {
    if (this.#broker?.isFit === false) this.letBrokerGo();
    // The spec splits the environment: what changes bash itself goes around it.
    const { env } = renderReadySpec(ground, { id: '', bootId: '', setsid: '' });
    this.#broker ??= new Broker({ shell: ground.shell, env });
    return this.#broker;
  }

  /** A ground, or a file of the user's, may take its time, or never come to an end. */
  async #isReady(slot: Slot): Promise<boolean> {
    if (this.#isClosed) return false;
    let timer: NodeJS.Timeout | undefined;
    let giveUp: () => void = () => undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      giveUp = () => resolve(false);
      timer = setTimeout(giveUp, READY_MS).unref();
    });
    this.#giveUps.add(giveUp);
    const isReady = await Promise.race([slot.ready, slot.ended.then(() => false), tooLate]);
    this.#giveUps.delete(giveUp);
    clearTimeout(timer);
    return isReady;
  }

  /** Looked for once for each ground. */
  #nameOf(ground: ReadyGround): string | null {
    if (this.#named?.ground !== ground) this.#named = { ground, name: bashName(ground.env.PATH) };
    return this.#named.name;
  }

  #sweepOnce(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    sweepReady(this.#place);
  }
}

/** Changes when a file that a shell with this ground has read does, or what it has from this program. */
export function stampOf({ ground, env }: ReadyGround): string {
  const files = [ground, env.BASH_ENV ?? null].map((file) => (file === null ? '' : fileStamp(file)));
  return [process.umask(), ...files].join(' ');
}

function fileStamp(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeMs}`;
}
