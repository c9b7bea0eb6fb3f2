import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessStat } from '../process/proc-reader.ts';
import type { ProcessScanner } from '../process/process-scanner.ts';
import {
  LocalProcessTree,
  type ProcessTree,
  type ProcessTreeRoot,
  signalProcess,
} from '../process/process-tree.ts';
import { readRunProcesses } from './run-state.ts';

/** Exists when the command of a run is on a remote host. */
const REMOTE_FILE = 'far';
/** Contains the request that the proxy process forwards when it gets SIGUSR2. */
const PROXY_SIGNAL_FILE = 'far.signal';

/** Time for the remote side to carry out a KILL before the local proxy process is killed. */
const REMOTE_KILL_MS = 800;

export function hasProxyProcess(directory: string): boolean {
  return existsSync(join(directory, REMOTE_FILE));
}

/** Sends a request to the proxy process, which forwards it to the remote side. */
export function sendToProxyProcess(directory: string, word: string): void {
  const proxyProcess = readRunProcesses(directory)?.command;
  if (proxyProcess === undefined) return;
  try {
    writeFileSync(join(directory, PROXY_SIGNAL_FILE), `${word}\n`, { mode: 0o600 });
  } catch {
    // The directory was removed: the run is over.
    return;
  }
  signalProcess(proxyProcess, 'SIGUSR2');
}

/**
 * The processes of a run whose command is on a remote host: the local proxy process, which forwards signals,
 * and local readers for remote leftover processes.
 */
export class ProxyProcessTree implements ProcessTree {
  readonly #root: ProcessTreeRoot;
  readonly #directory: string;
  readonly #base: LocalProcessTree;

  constructor(root: ProcessTreeRoot, { directory, scanner }: { directory: string; scanner: ProcessScanner }) {
    this.#root = root;
    this.#directory = directory;
    // No local process holds the output of a remote command.
    this.#base = new LocalProcessTree({ ...root, pipes: [] }, scanner);
  }

  hasNoLeftovers(): boolean {
    return this.#base.hasNoLeftovers();
  }

  /** Only the proxy process while it is alive: its connections end with it. */
  members(): ProcessStat[] {
    return this.#known(this.#base.members());
  }

  async scan(): Promise<ProcessStat[]> {
    return this.#known(await this.#base.scan());
  }

  #known(all: ProcessStat[]): ProcessStat[] {
    const proxyProcess = all.find(({ pid }) => pid === this.#root.pid);
    if (proxyProcess !== undefined) return [proxyProcess];
    const pids = new Set(all.map(({ pid }) => pid));
    return all.filter(({ parent }) => !pids.has(parent));
  }

  canScan(): boolean {
    return this.#base.canScan();
  }

  hasGroup(): boolean {
    return this.#base.hasGroup();
  }

  isAlive(stat: ProcessStat): boolean {
    return this.#base.isAlive(stat);
  }

  /** Always false: every process is signalled separately. */
  isInGroup(): boolean {
    return false;
  }

  signal(member: ProcessStat, signal: NodeJS.Signals): void {
    if (signal === 'SIGCONT') return;
    if (signal !== 'SIGKILL') {
      this.#base.signal(member, signal === 'SIGINT' || signal === 'SIGHUP' ? signal : 'SIGTERM');
      return;
    }
    this.#base.signal(member, 'SIGQUIT');
    setTimeout(() => {
      // Only the proxy process: the process that forwards the KILL is still working.
      this.#base.signal(member, 'SIGKILL');
    }, REMOTE_KILL_MS).unref();
  }

  /** Sends exactly this signal to the remote command. */
  signalGroup(signal: NodeJS.Signals): void {
    sendToProxyProcess(this.#directory, signal.replace(/^SIG/, ''));
  }

  describe(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return this.#base.describe(stat);
  }
}
