import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../shell/find-program.ts';
import { renderBwrap } from './bwrap-words.ts';
import { holdLimits, type LimitKeeper, releaseLimits } from './cgroup.ts';
import { closeMounts, openMounts } from './mounts.ts';
import { DEFAULT_LIMITS, type SandboxSpec } from './sandbox-spec.ts';
import { assembleFilter } from './seccomp.ts';

/** What a sandbox would be on this machine. */
export interface SandboxFacts {
  /** Why there can be none; `null` when there can. */
  readonly problem: string | null;
  /** By what its limits would be held. `rlimit`: for each process alone. `none`: not at all. */
  readonly memory: LimitKeeper;
  readonly processes: LimitKeeper;
  readonly cpus: LimitKeeper;
}

const PATIENCE_MS = 10_000;

/** Builds one and throws it away: whether it can be built hangs on too much to be deduced. */
export function inspectSandbox(searchPath: string): SandboxFacts {
  const held = holdLimits(
    { memoryBytes: 2 ** 30, processes: 64, cpus: 1, scratchBytes: 2 ** 20 },
    `look-${process.pid}`,
  );
  releaseLimits(held);
  const { memory, processes, cpus } = held;
  return { problem: findProblem(searchPath), memory, processes, cpus };
}

function findProblem(searchPath: string): string | null {
  const bwrap = findProgram('bwrap', searchPath);
  if (bwrap === null) return 'there is no bwrap in PATH (the package bubblewrap)';
  const filter = assembleFilter({ unixSockets: false }, process.arch);
  if (filter === null) return `there is no system call filter for ${process.arch}`;
  const room = mkdtempSync(join(tmpdir(), 'nacre-look-'));
  try {
    return tryToBuild({ bwrap, room, filter });
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

function tryToBuild({ bwrap, room, filter }: { bwrap: string; room: string; filter: Buffer }): string | null {
  const file = join(room, 'filter');
  writeFileSync(file, filter);
  mkdirSync(join(room, 'slots'));
  const spec: SandboxSpec = {
    ...{ workspace: room, isWorkspaceWritable: true, writable: [], readable: [], hidden: [], network: 'off' },
    ...{ unixSockets: false, limits: DEFAULT_LIMITS, home: homedir(), stateDirectory: join(room, 'state') },
  };
  const fd = openSync(file, 'r');
  const mounts = openMounts(spec);
  try {
    const [program = '', ...words] = renderBwrap(spec, {
      ...{ bwrap, shell: '', slots: join(room, 'slots'), inside: file, bridge: null, filterFd: 3 },
      ...{ mounts, gateFd: null },
      program: ['/bin/sh', '-c', ':'],
    });
    const { status, stderr, error } = spawnSync(program, words, {
      stdio: ['ignore', 'ignore', 'pipe', fd],
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    if (status === 0) return null;
    return error?.message ?? (stderr.trim().split('\n').at(-1) || `bwrap ended with ${status}`);
  } finally {
    closeMounts(mounts);
    closeSync(fd);
  }
}
