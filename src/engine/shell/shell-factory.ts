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
  readonly #paths: WarmShellPaths;
  readonly #setsid: string | null = findSetsid();
  readonly #onDiscard: (gone: Promise<unknown>) => void;
  readonly #cancelWaits = new Set<() => void>();
  #forkServer: ForkServer | null = null;
  #isSwept = false;
  #bashPath: { readonly config: WarmShellConfig; readonly name: string | null } | undefined;
  #isClosed = false;

  /** `onDiscard` gets a promise for each discarded process, which resolves when that process has exited. */
  constructor(paths: WarmShellPaths, onDiscard: (gone: Promise<unknown>) => void) {
    this.#paths = paths;
    this.#onDiscard = onDiscard;
  }

  /** Whether warm shells can be created: the protocol has one path per line, and setsid is required. */
  get canCreate(): boolean {
    return this.#setsid !== null && !this.#paths.ready.includes('\n');
  }

  /** Creates a shell that waits for a command; `null` if that fails. */
  async create(config: WarmShellConfig): Promise<PooledShell | null> {
    let directory: WarmRunDirectory | undefined;
    try {
      this.#sweepOnce();
      const forkServer = this.#openForkServer(config);
      const home = { cwd: config.cwd, identity: directoryIdentity(config.cwd) };
      const script = renderWarmShellScript(config, this.#findBash(config));
      directory = new WarmRunDirectory(this.#paths, {
        config,
        script,
        setsid: this.#setsid as string,
      });
      const forked = await forkServer.fork(directory.id, directory.pendingPath);
      if (forked === null) throw new Error('no shell was made');
      const shell = new PooledShell(forked, { directory, config, home });
      if (await this.#isReady(shell)) return shell;
      // The shell is blocked in a startup file.
      shell.terminate();
      shell.discard();
      this.#onDiscard(shell.gone.then(() => shell.directory.remove()));
      return null;
    } catch {
      directory?.remove();
      this.closeForkServer();
      return null;
    }
  }

  /** Stops the fork server; the next shell starts a new one. */
  closeForkServer(): void {
    if (this.#forkServer === null) return;
    this.#onDiscard(this.#forkServer.ended);
    this.#forkServer.close();
    this.#forkServer = null;
  }

  /** Stops waiting for shells that are not ready yet. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#cancelWaits) cancel();
  }

  #openForkServer(config: WarmShellConfig): ForkServer {
    if (this.#forkServer?.isReusable === false) this.closeForkServer();
    // Only the part of the environment that does not affect the fork server's own bash.
    const { env } = renderWarmShellSpec(config, { id: '', bootId: '', setsid: '' });
    this.#forkServer ??= new ForkServer({ shell: config.shell, env });
    return this.#forkServer;
  }

  /** Startup files may be slow or never return. */
  async #isReady(shell: PooledShell): Promise<boolean> {
    if (this.#isClosed) return false;
    let timer: NodeJS.Timeout | undefined;
    let cancel: () => void = () => undefined;
    const timedOut = new Promise<boolean>((resolve) => {
      cancel = () => resolve(false);
      timer = setTimeout(cancel, READY_TIMEOUT_MS).unref();
    });
    this.#cancelWaits.add(cancel);
    const isReady = await Promise.race([shell.ready, shell.ended.then(() => false), timedOut]);
    this.#cancelWaits.delete(cancel);
    clearTimeout(timer);
    return isReady;
  }

  #findBash(config: WarmShellConfig): string | null {
    if (this.#bashPath?.config !== config) this.#bashPath = { config, name: findBashOnPath(config.env.PATH) };
    return this.#bashPath.name;
  }

  #sweepOnce(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    sweepWarmDirectories(this.#paths);
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
