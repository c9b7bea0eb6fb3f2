import { statSync } from 'node:fs';
import { WarmRunDirectory, type WarmShellPaths } from '../run/run-directory.ts';
import { renderWarmShellSpec, type WarmShellConfig } from '../run/supervisor-spec.ts';
import { sweepWarmDirectories } from '../run/sweep-runs.ts';
import { findBashOnPath, findSetsid } from './find-program.ts';
import { ForkServer } from './fork-server.ts';
import { directoryIdentity, PooledShell } from './pooled-shell.ts';
import { renderWarmShellScript } from './pooled-shell-script.ts';

/** A shell that does not wait for its command after this long never will. */
const READY_TIMEOUT_MS = 10_000;

/** Makes shells that wait, one directory and one line to the broker each. */
export class ShellFactory {
  readonly #place: WarmShellPaths;
  readonly #setsid: string | null = findSetsid();
  readonly #leaving: (gone: Promise<unknown>) => void;
  readonly #giveUps = new Set<() => void>();
  #broker: ForkServer | null = null;
  #isSwept = false;
  #named: { readonly ground: WarmShellConfig; readonly name: string | null } | undefined;
  #isClosed = false;

  /** `leaving` is told of everybody who was sent away, and when they are gone. */
  constructor(place: WarmShellPaths, leaving: (gone: Promise<unknown>) => void) {
    this.#place = place;
    this.#leaving = leaving;
  }

  /** Whether shells can be made here at all: the broker reads lines, and somebody must give each a session. */
  get canMake(): boolean {
    return this.#setsid !== null && !this.#place.ready.includes('\n');
  }

  /** One that waits for its command; `null`: there will be none. */
  async make(ground: WarmShellConfig): Promise<PooledShell | null> {
    let directory: WarmRunDirectory | undefined;
    try {
      this.#sweepOnce();
      const broker = this.#openBroker(ground);
      const home = { cwd: ground.cwd, identity: directoryIdentity(ground.cwd) };
      const waiter = renderWarmShellScript(ground, this.#nameOf(ground));
      directory = new WarmRunDirectory(this.#place, {
        config: ground,
        script: waiter,
        setsid: this.#setsid as string,
      });
      const made = await broker.fork(directory.id, directory.pendingPath);
      if (made === null) throw new Error('no shell was made');
      const slot = new PooledShell(made, { directory, config: ground, home });
      if (await this.#isReady(slot)) return slot;
      // It does not listen: something that it reads at its start keeps it.
      const { directory: own } = slot;
      slot.terminate();
      slot.discard();
      this.#leaving(slot.gone.then(() => own.remove()));
      return null;
    } catch {
      directory?.remove();
      this.closeForkServer();
      return null;
    }
  }

  /** The next one is made by another. */
  closeForkServer(): void {
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

  #openBroker(ground: WarmShellConfig): ForkServer {
    if (this.#broker?.isReusable === false) this.closeForkServer();
    // The spec splits the environment: what changes bash itself goes around it.
    const { env } = renderWarmShellSpec(ground, { id: '', bootId: '', setsid: '' });
    this.#broker ??= new ForkServer({ shell: ground.shell, env });
    return this.#broker;
  }

  /** A ground, or a file of the user's, may take its time, or never come to an end. */
  async #isReady(slot: PooledShell): Promise<boolean> {
    if (this.#isClosed) return false;
    let timer: NodeJS.Timeout | undefined;
    let giveUp: () => void = () => undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      giveUp = () => resolve(false);
      timer = setTimeout(giveUp, READY_TIMEOUT_MS).unref();
    });
    this.#giveUps.add(giveUp);
    const isReady = await Promise.race([slot.ready, slot.ended.then(() => false), tooLate]);
    this.#giveUps.delete(giveUp);
    clearTimeout(timer);
    return isReady;
  }

  /** Looked for once for each ground. */
  #nameOf(ground: WarmShellConfig): string | null {
    if (this.#named?.ground !== ground) this.#named = { ground, name: findBashOnPath(ground.env.PATH) };
    return this.#named.name;
  }

  #sweepOnce(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    sweepWarmDirectories(this.#place);
  }
}

/** Changes when a file that a shell with this ground has read does, or what it has from this program. */
export function baseFilesStamp({ baseEnvironment, env }: WarmShellConfig): string {
  const files = [baseEnvironment, env.BASH_ENV ?? null].map((file) => (file === null ? '' : fileStamp(file)));
  return [process.umask(), ...files].join(' ');
}

function fileStamp(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeMs}`;
}
