import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxLimits } from './sandbox-spec.ts';

/** By what a limit is held. `rlimit`: for each process alone; `none`: not at all. */
export type LimitMechanism = 'cgroup' | 'rlimit' | 'none';

/** Where the limits of one sandbox are held. */
export interface AppliedLimits {
  /** Files that a process writes its number to in order to be held. */
  readonly cgroupFiles: readonly string[];
  readonly memory: LimitMechanism;
  readonly processes: LimitMechanism;
  readonly cpus: LimitMechanism;
}

interface Controller {
  readonly name: 'memory' | 'pids' | 'cpu';
  /** File and text, for the first version of cgroups and for the second. */
  readonly v1: readonly (readonly [string, string])[];
  readonly v2: readonly (readonly [string, string])[];
}

const CPU_PERIOD_US = 100_000;

/** Makes the groups that can be made here. What cannot is held by each process's own limits, or not, and says so. */
export function applyLimits(limits: SandboxLimits, id: string): AppliedLimits {
  const joins: string[] = [];
  const made = new Set<string>();
  for (const controller of controllersOf(limits)) {
    const join = makeGroup(controller, id);
    if (join === null) continue;
    made.add(controller.name);
    if (!joins.includes(join)) joins.push(join);
  }
  const held = (name: string, otherwise: LimitMechanism): LimitMechanism =>
    made.has(name) ? 'cgroup' : otherwise;
  return {
    cgroupFiles: joins,
    memory: held('memory', limits.memoryBytes === null ? 'none' : 'rlimit'),
    // The kernel does not count root's processes.
    processes: held('pids', limits.processes === null || process.getuid?.() === 0 ? 'none' : 'rlimit'),
    cpus: held('cpu', 'none'),
  };
}

/** For a sandbox that was never started. */
export function removeCgroups({ cgroupFiles }: AppliedLimits): void {
  for (const join of cgroupFiles) {
    try {
      rmdirSync(dirname(join));
    } catch {
      // Somebody is in it: its keeper removes it.
    }
  }
}

function controllersOf({ memoryBytes, processes, cpus }: SandboxLimits): Controller[] {
  const found: Controller[] = [];
  if (memoryBytes !== null) {
    const text = String(memoryBytes);
    found.push({
      name: 'memory',
      v1: [['memory.limit_in_bytes', text]],
      v2: [
        ['memory.max', text],
        ['memory.swap.max', '0'],
      ],
    });
  }
  if (processes !== null) {
    // The sandbox's own: its first process, its agent, and a nurse with a waiting shell for each slot.
    const limit: readonly [string, string] = ['pids.max', String(processes + 32)];
    found.push({ name: 'pids', v1: [limit], v2: [limit] });
  }
  if (cpus !== null) {
    const quota = Math.round(cpus * CPU_PERIOD_US);
    found.push({
      name: 'cpu',
      v1: [
        ['cpu.cfs_period_us', String(CPU_PERIOD_US)],
        ['cpu.cfs_quota_us', String(quota)],
      ],
      v2: [['cpu.max', `${quota} ${CPU_PERIOD_US}`]],
    });
  }
  return found;
}

/** The file to join by; `null` when no group with this limit can be made here. */
function makeGroup({ name, v1, v2 }: Controller, id: string): string | null {
  const own = ownGroups();
  const first = own.get(name);
  if (first !== undefined) return writeCgroupFiles(join('/sys/fs/cgroup', name, first, `nacre-${id}`), v1);
  const second = own.get('');
  if (second === undefined) return null;
  const parent = join('/sys/fs/cgroup', second);
  enableController(parent, name);
  return writeCgroupFiles(join(parent, `nacre-${id}`), v2);
}

/** The group this process is in, by controller; the second version has the empty name. */
function ownGroups(): Map<string, string> {
  const groups = new Map<string, string>();
  try {
    for (const line of readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')) {
      const [, names = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      for (const name of names.split(',')) groups.set(name, path);
    }
  } catch {
    // No cgroups here.
  }
  return groups;
}

function enableController(parent: string, name: string): void {
  try {
    writeFileSync(join(parent, 'cgroup.subtree_control'), `+${name}`);
  } catch {
    // Not ours to change; it may be enabled already.
  }
}

function writeCgroupFiles(group: string, files: Controller['v1']): string | null {
  const [limit] = files;
  try {
    mkdirSync(group, { recursive: true, mode: 0o755 });
    if (limit === undefined || !existsSync(join(group, limit[0]))) return removeCgroup(group);
    for (const [file, text] of files)
      if (existsSync(join(group, file))) writeFileSync(join(group, file), text);
    return join(group, 'cgroup.procs');
  } catch {
    return removeCgroup(group);
  }
}

function removeCgroup(group: string): null {
  try {
    rmdirSync(group);
  } catch {
    // It was not made.
  }
  return null;
}
