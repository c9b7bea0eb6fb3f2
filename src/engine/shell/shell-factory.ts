import { statSync } from 'node:fs';
import { WarmRunDirectory, type WarmShellPaths } from '../run/run-directory.ts';
import { renderWarmShellSpec, type WarmShellConfig } from '../run/supervisor-spec.ts';
import { sweepWarmDirectories } from '../run/sweep-runs.ts';
import { findBashOnPath, findSetsid } from './find-program.ts';
import { ForkServer } from './fork-server.ts';
import { directoryIdentity, PooledShell } from './pooled-shell.ts';
import { renderWarmShellScript } from './pooled-shell-script.ts';

/** How long a new shell may take to read its startup files. */
const READY_TIMEOUT_MS = 10_000;

/** Creates warm shells with a fork server. */
export class ShellFactory {
  readonly #place: WarmShellPaths;
  readonly #setsid: string | null = findSetsid();
  readonly #leaving: (gone: Promise<unknown>) => void;
  readonly #giveUps = new Set<() => void>();
  #broker: ForkServer | null = null;
  #isSwept = false;
  #named: { readonly ground: WarmShellConfig; readonly name: string | null } | undefined;
  #isClosed = false;

  /** `onDiscard` gets a promise for each discarded process, which resolves when that process has exited. */
  constructor(place: WarmShellPaths, leaving: (gone: Promise<unknown>) => void) {
    this.#place = place;
    this.#leaving = leaving;
  }

  /** Whether warm shells can be created: the protocol has one path per line, and setsid is required. */
  get canMake(): boolean {
    return this.#setsid !== null && !this.#place.ready.includes('\n');
  }

  /** Creates a shell that waits for a command; `null` if that fails. */
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
      // The shell is blocked in a startup file.
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

  /** Stops the fork server; the next shell starts a new one. */
  closeForkServer(): void {
    if (this.#broker === null) return;
    this.#leaving(this.#broker.ended);
    this.#broker.close();
    this.#broker = null;
  }

  /** Stops waiting for shells that are not ready yet. */
  close(): void {
    this.#isClosed = true;
    for (const giveUp of this.#giveUps) giveUp();
  }

  #openBroker(ground: WarmShellConfig): ForkServer {
    if (this.#broker?.isReusable === false) this.closeForkServer();
    // Only the part of the environment that does not affect the fork server's own bash.
    const { env } = renderWarmShellSpec(ground, { id: '', bootId: '', setsid: '' });
    this.#broker ??= new ForkServer({ shell: ground.shell, env });
    return this.#broker;
  }

  /** Startup files may be slow or never return. */
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

/** Returns a stamp that changes when a startup file of a warm shell or the umask changes. */
export function baseFilesStamp({ baseEnvironment, env }: WarmShellConfig): string {
  const files = [baseEnvironment, env.BASH_ENV ?? null].map((file) => (file === null ? '' : fileStamp(file)));
  return [process.umask(), ...files].join(' ');
}

function fileStamp(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeMs}`;
}
