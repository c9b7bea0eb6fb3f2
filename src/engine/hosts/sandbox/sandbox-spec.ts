/** Name of a predefined set of sandbox permissions. */
export type SandboxPreset = 'read-only' | 'workspace' | 'workspace+network';

/** Reachable hosts: none, all, or those listed (`*.example.com` matches every subdomain). */
export type SandboxNetwork = 'off' | 'on' | { readonly allow: readonly string[] };

/** Resource limits of a sandbox; `null` is no limit. */
export interface SandboxLimits {
  /** For all processes together with a cgroup, otherwise per process. */
  readonly memoryBytes: number | null;
  readonly processes: number | null;
  /** Number of CPUs; needs a cgroup. */
  readonly cpus: number | null;
  /** Size of `/tmp`, of the private home and of `/dev/shm`, each. Without a cgroup they share `memoryBytes`. */
  readonly scratchBytes: number;
}

/** A fully resolved sandbox configuration. */
export interface SandboxSpec {
  /** Absolute; visible at the same path inside. */
  readonly workspace: string;
  readonly isWorkspaceWritable: boolean;
  readonly writable: readonly string[];
  /** Visible even in hidden directories. */
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  readonly network: SandboxNetwork;
  readonly unixSockets: boolean;
  readonly limits: SandboxLimits;
  readonly home: string;
  readonly stateDirectory: string;
}

const MIB = 1024 ** 2;

/** Limits of a sandbox without configured limits. */
export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: null,
  processes: 4096,
  cpus: null,
  scratchBytes: 1024 * MIB,
};

/** Returns the settings of a preset. */
export function resolveSandboxPreset(
  preset: SandboxPreset,
): Pick<SandboxSpec, 'isWorkspaceWritable' | 'network'> {
  return {
    isWorkspaceWritable: preset !== 'read-only',
    network: preset === 'workspace+network' ? 'on' : 'off',
  };
}
