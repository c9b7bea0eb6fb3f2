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

/** There when the command of a run is on another machine. */
const REMOTE_FILE = 'far';
/** What the stand-in is to pass on when it is told to look. */
const PROXY_SIGNAL_FILE = 'far.signal';

/** How long the other machine has for a KILL before its stand-in here is given up. */
const REMOTE_KILL_MS = 800;

export function hasProxyProcess(directory: string): boolean {
  return existsSync(join(directory, REMOTE_FILE));
}

/** Word to a stand-in; it is passed on to where the command is. */
export function sendToProxyProcess(directory: string, word: string): void {
  const standIn = readRunProcesses(directory)?.command;
  if (standIn === undefined) return;
  try {
    writeFileSync(join(directory, PROXY_SIGNAL_FILE), `${word}\n`, { mode: 0o600 });
  } catch {
    // The directory was removed: the run is over.
    return;
  }
  signalProcess(standIn, 'SIGUSR2');
}

/**
 * A run whose command is on another machine. Here there is only its stand-in, which passes on what it is told; who is
 * left behind over there has one here who reads for it.
 */
export class ProxyProcessTree implements ProcessTree {
  readonly #root: ProcessTreeRoot;
  readonly #directory: string;
  readonly #base: LocalProcessTree;

  constructor(
    root: ProcessTreeRoot,
    { directory, surveyor }: { directory: string; surveyor: ProcessScanner },
  ) {
    this.#root = root;
    this.#directory = directory;
    // Nobody here holds the output of a command that is elsewhere.
    this.#base = new LocalProcessTree({ ...root, pipes: [] }, surveyor);
  }

  hasNoLeftovers(): boolean {
    return this.#base.hasNoLeftovers();
  }

  /** The stand-in alone, as long as it is there: the connections it uses end with it. */
  members(): ProcessStat[] {
    return this.#known(this.#base.members());
  }

  async scan(): Promise<ProcessStat[]> {
    return this.#known(await this.#base.scan());
  }

  #known(all: ProcessStat[]): ProcessStat[] {
    const standIn = all.find(({ pid }) => pid === this.#root.pid);
    if (standIn !== undefined) return [standIn];
    const pids = new Set(all.map(({ pid }) => pid));
    return all.filter(({ parent }) => !pids.has(parent));
  }

  isAlive(stat: ProcessStat): boolean {
    return this.#base.isAlive(stat);
  }

  /** Nobody: each is told by itself. */
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
      // It alone: who carries the word to the other machine is on the way.
      this.#base.signal(member, 'SIGKILL');
    }, REMOTE_KILL_MS).unref();
  }

  /** Exactly this signal, over there. */
  signalGroup(signal: NodeJS.Signals): void {
    sendToProxyProcess(this.#directory, signal.replace(/^SIG/, ''));
  }

  describe(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return this.#base.describe(stat);
  }
}
