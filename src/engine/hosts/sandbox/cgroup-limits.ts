import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxLimits } from './sandbox-spec.ts';

/** What enforces a limit. `rlimit`: setrlimit(2), per process. `none`: nothing. */
export type LimitMechanism = 'cgroup' | 'rlimit' | 'none';

/** The cgroups of one sandbox, and what enforces each limit. */
export interface AppliedLimits {
  /** `cgroup.procs` files that the sandbox writes its pid to. */
  readonly cgroupFiles: readonly string[];
  readonly memory: LimitMechanism;
  readonly processes: LimitMechanism;
  readonly cpus: LimitMechanism;
}

interface Controller {
  readonly name: 'memory' | 'pids' | 'cpu';
  /** Files and their contents in cgroup v1 and v2. */
  readonly v1: readonly (readonly [string, string])[];
  readonly v2: readonly (readonly [string, string])[];
}

const CPU_PERIOD_US = 100_000;

/**
 * Creates the cgroups for the limits of a sandbox. A limit without a cgroup falls back to an rlimit or is
 * reported as `none`.
 */
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
    // RLIMIT_NPROC does not apply to root.
    processes: held('pids', limits.processes === null || process.getuid?.() === 0 ? 'none' : 'rlimit'),
    cpus: held('cpu', 'none'),
  };
}

/** Removes the cgroups of a sandbox that was never started. */
export function removeCgroups({ cgroupFiles }: AppliedLimits): void {
  for (const join of cgroupFiles) {
    try {
      rmdirSync(dirname(join));
    } catch {
      // Not empty: the sandbox supervisor removes it.
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
    // 32 for the processes of the sandbox itself: init, agent, and a slot runner with a shell per slot.
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

/** Returns the `cgroup.procs` file of a new cgroup; `null` if none can be created. */
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

/** The cgroup of this process per v1 controller; v2 has the empty name. */
function ownGroups(): Map<string, string> {
  const groups = new Map<string, string>();
  try {
    for (const line of readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')) {
      const [, names = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      for (const name of names.split(',')) groups.set(name, path);
    }
  } catch {
    // No cgroups on this machine.
  }
  return groups;
}

function enableController(parent: string, name: string): void {
  try {
    writeFileSync(join(parent, 'cgroup.subtree_control'), `+${name}`);
  } catch {
    // No permission; the controller may be enabled already.
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
    // It was not created.
  }
  return null;
}
