import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../shell/find-program.ts';
import { closeMounts, openMounts, renderBwrapArguments } from './bwrap-arguments.ts';
import { applyLimits, type LimitMechanism, removeCgroups } from './cgroup-limits.ts';
import { DEFAULT_SANDBOX_LIMITS, type SandboxSpec } from './sandbox-spec.ts';
import { assembleSeccompFilter } from './seccomp-filter.ts';

/** Whether this machine can run a sandbox, and what would enforce its limits. */
export interface SandboxFacts {
  /** Why no sandbox can be built; `null` if it can. */
  readonly problem: string | null;
  readonly memory: LimitMechanism;
  readonly processes: LimitMechanism;
  readonly cpus: LimitMechanism;
}

const BUILD_TIMEOUT_MS = 10_000;

/** Builds a sandbox and discards it: the answer depends on too many settings to be deduced. */
export function inspectSandbox(searchPath: string): SandboxFacts {
  const applied = applyLimits(
    { memoryBytes: 2 ** 30, processes: 64, cpus: 1, scratchBytes: 2 ** 20 },
    `look-${process.pid}`,
  );
  removeCgroups(applied);
  const { memory, processes, cpus } = applied;
  return { problem: findSandboxProblem(searchPath), memory, processes, cpus };
}

function findSandboxProblem(searchPath: string): string | null {
  const bwrap = findProgram('bwrap', searchPath);
  if (bwrap === null) return 'there is no bwrap in PATH (the package bubblewrap)';
  const filter = assembleSeccompFilter({ unixSockets: false, isRoot: false }, process.arch);
  if (filter === null) return `there is no system call filter for ${process.arch}`;
  const directory = mkdtempSync(join(tmpdir(), 'nacre-look-'));
  try {
    writeFileSync(join(directory, 'filter'), filter);
    return tryBuildSandbox(bwrap, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function tryBuildSandbox(bwrap: string, directory: string): string | null {
  const file = join(directory, 'filter');
  mkdirSync(join(directory, 'slots'));
  const spec: SandboxSpec = {
    workspace: directory,
    isWorkspaceWritable: true,
    writable: [],
    readable: [],
    hidden: [],
    network: 'off',
    unixSockets: false,
    limits: DEFAULT_SANDBOX_LIMITS,
    home: homedir(),
    stateDirectory: join(directory, 'state'),
  };
  const fd = openSync(file, 'r');
  const mounts = openMounts(spec);
  try {
    const [program = '', ...words] = renderBwrapArguments(spec, {
      bwrap,
      slots: join(directory, 'slots'),
      inside: file,
      bridge: null,
      filterFd: 3,
      mounts,
      gateFd: null,
      program: ['/bin/sh', '-c', ':'],
    });
    const { status, stderr, error } = spawnSync(program, words, {
      stdio: ['ignore', 'ignore', 'pipe', fd],
      encoding: 'utf8',
      timeout: BUILD_TIMEOUT_MS,
    });
    if (status === 0) return null;
    return error?.message ?? (stderr.trim().split('\n').at(-1) || `bwrap ended with ${status}`);
  } finally {
    closeMounts(mounts);
    closeSync(fd);
  }
}
