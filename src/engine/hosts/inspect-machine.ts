import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { release } from 'node:os';
import { errorMessage } from '../../errors.ts';
import { ProcReader } from '../process/proc-reader.ts';
import { makePrivateDirectory } from '../process/state-files.ts';
import { findWarmShellObstacle } from '../shell/find-program.ts';
import { type BashVersion, findShell, readBashVersion, type ShellSearch } from '../shell/find-shell.ts';
import { inspectSandbox, type SandboxFacts } from './sandbox/inspect-sandbox.ts';

interface MachineRequest extends ShellSearch {
  readonly stateDirectory: string;
}

/** The capabilities of this machine, as `nacre doctor` reports them. */
export interface MachineFacts {
  readonly platform: string;
  readonly kernel: string;
  readonly node: string;
  readonly bash:
    | { readonly path: string; readonly version: BashVersion | null }
    | { readonly problem: string };
  readonly stateDirectory: StateDirectoryFacts;
  /**
   * How a stopped run's processes are found. `marker`: by group, session, ancestry, environment marker and open
   * output pipes. `process_group`: by group only.
   */
  readonly treeReach: 'marker' | 'process_group';
  /** Whether a command can read the environment of this process, including withheld secrets. */
  readonly parentEnvironment: 'readable' | 'protected';
  /** Ancestors of this process with an environment that a command can read. */
  readonly readableAncestors: readonly string[];
  /** Why warm shells are unavailable; `null` if they are available. */
  readonly readyShells: string | null;
  readonly sandbox: SandboxFacts;
}

interface StateDirectoryFacts {
  readonly path: string;
  /** `null` if the directory is usable. */
  readonly problem: string | null;
  readonly freeBytes: number | null;
}

/** Inspects this machine. Slow: it starts processes and builds a sandbox to see what works. */
export function inspectMachine(request: MachineRequest): MachineFacts {
  const bash = inspectBash(request);
  return {
    platform: `${process.platform} ${process.arch}`,
    kernel: release(),
    node: process.version,
    bash,
    stateDirectory: inspectState(request.stateDirectory),
    treeReach: canReadProc() ? 'marker' : 'process_group',
    parentEnvironment:
      'path' in bash && canReadEnvironment(process.pid, bash.path) ? 'readable' : 'protected',
    readableAncestors: 'path' in bash ? readableAncestors(bash.path) : [],
    readyShells: findWarmShellObstacle(),
    sandbox: inspectSandbox(request.searchPath),
  };
}

function inspectBash(request: MachineRequest): MachineFacts['bash'] {
  try {
    const path = findShell(request);
    return { path, version: readBashVersion(path) };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

function inspectState(path: string): StateDirectoryFacts {
  try {
    makePrivateDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(path);
    return { path, problem: null, freeBytes: bavail * bsize };
  } catch (error) {
    return { path, problem: errorMessage(error), freeBytes: null };
  }
}

function canReadProc(): boolean {
  try {
    return readFileSync('/proc/self/stat').length > 0 && readFileSync('/proc/self/environ') !== null;
  } catch {
    return false;
  }
}

/** Ancestors up to but not including init (pid 1). */
function readableAncestors(bash: string): string[] {
  const found: string[] = [];
  const proc = new ProcReader();
  for (let pid = process.ppid; pid > 1; pid = proc.stat(pid)?.parent ?? 0)
    if (canReadEnvironment(pid, bash)) found.push(`${readProcessName(pid)} (${pid})`);
  return found;
}

function readProcessName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a program';
  }
}

/** Tries it, because the answer depends on users, capabilities, mount options and security modules. */
function canReadEnvironment(pid: number, bash: string): boolean {
  const command = `IFS= read -r -d '' _ < /proc/${pid}/environ`;
  const { status } = spawnSync(bash, ['-c', command], { env: {}, stdio: 'ignore', timeout: 5_000 });
  return status === 0;
}
