import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { release } from 'node:os';
import { ProcReader } from '../process/proc-reader.ts';
import { makePrivateDirectory } from '../process/state-files.ts';
import { findWarmShellObstacle } from '../shell/find-program.ts';
import { type BashVersion, findShell, readBashVersion, type ShellSearch } from '../shell/find-shell.ts';
import { inspectSandbox, type SandboxFacts } from './sandbox/inspect-sandbox.ts';

export interface MachineRequest extends ShellSearch {
  readonly stateDirectory: string;
}

/** What this machine gives, and therefore which promises hold on it. */
export interface MachineFacts {
  readonly platform: string;
  readonly kernel: string;
  readonly node: string;
  readonly bash:
    | { readonly path: string; readonly version: BashVersion | null }
    | { readonly problem: string };
  readonly stateDirectory: StateDirectoryFacts;
  /**
   * How far ending a run reaches. `marker`: its group, its session, its descendants, who carries its mark and who
   * holds its output. `process_group`: only its group.
   */
  readonly treeReach: 'marker' | 'process_group';
  /** Whether a command can read this program's own environment, and with it the secrets it does not get. */
  readonly parentEnvironment: 'readable' | 'protected';
  /** Programs that this one was started by, and whose environment a command can read as well. */
  readonly readableAncestors: readonly string[];
  /** Why no shells are kept ready for the next commands; `null`: they can be. */
  readonly readyShells: string | null;
  /** Whether commands can be run in a sandbox here, and what holds its limits. */
  readonly sandbox: SandboxFacts;
}

interface StateDirectoryFacts {
  readonly path: string;
  /** `null` when it can be used. */
  readonly problem: string | null;
  readonly freeBytes: number | null;
}

/** Looks, and tries where looking is not enough: it starts one process. For people, not for every run. */
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
    return { problem: messageOf(error) };
  }
}

function inspectState(path: string): StateDirectoryFacts {
  try {
    makePrivateDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(path);
    return { path, problem: null, freeBytes: bavail * bsize };
  } catch (error) {
    return { path, problem: messageOf(error), freeBytes: null };
  }
}

function canReadProc(): boolean {
  try {
    return readFileSync('/proc/self/stat').length > 0 && readFileSync('/proc/self/environ') !== null;
  } catch {
    return false;
  }
}

/** The first of all is the system's own, and no program that somebody started with secrets. */
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

/** Tried, not deduced: it hangs on users, capabilities, mount options and security modules. */
function canReadEnvironment(pid: number, bash: string): boolean {
  const command = `IFS= read -r -d '' _ < /proc/${pid}/environ`;
  const { status } = spawnSync(bash, ['-c', command], { env: {}, stdio: 'ignore', timeout: 5_000 });
  return status === 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
