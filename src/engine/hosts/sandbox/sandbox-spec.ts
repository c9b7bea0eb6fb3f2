/** What a sandbox gives to the commands in it, by name. */
export type SandboxPreset = 'read-only' | 'workspace' | 'workspace+network';

/** Which hosts can be reached: none, all that this machine reaches, or those named (`*.` stands for any name below). */
export type SandboxNetwork = 'off' | 'on' | { readonly allow: readonly string[] };

/** How much of the machine a sandbox may take; `null` is no limit. */
export interface SandboxLimits {
  /** Of all processes together where there is a cgroup, of each where there is none. */
  readonly memoryBytes: number | null;
  readonly processes: number | null;
  /** Processors' worth of time; needs a cgroup. */
  readonly cpus: number | null;
  /** What `/tmp`, the private home and `/dev/shm` may hold, each. */
  readonly scratchBytes: number;
}

/** A sandbox with every question answered. */
export interface SandboxSpec {
  /** Absolute; visible at the same path inside. */
  readonly workspace: string;
  readonly isWorkspaceWritable: boolean;
  readonly writable: readonly string[];
  /** Visible although they lie in what is hidden. */
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  readonly network: SandboxNetwork;
  readonly unixSockets: boolean;
  readonly limits: SandboxLimits;
  readonly home: string;
  readonly stateDirectory: string;
}

const MIB = 1024 ** 2;

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: null,
  processes: 4096,
  cpus: null,
  scratchBytes: 1024 * MIB,
};

/** What stands behind a preset's name. */
export function resolveSandboxPreset(
  preset: SandboxPreset,
): Pick<SandboxSpec, 'isWorkspaceWritable' | 'network'> {
  return {
    isWorkspaceWritable: preset !== 'read-only',
    network: preset === 'workspace+network' ? 'on' : 'off',
  };
}
