import type { SandboxNetwork, SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';

export type { SandboxNetwork, SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';

/** A sandbox on this machine: bubblewrap, on Linux. */
export interface SandboxConfig {
  readonly type: 'sandbox';
  /**
   * `read-only`: nothing can be written but scratch. `workspace`: the session's directory can. `workspace+network`: and
   * every host that this machine reaches can be reached.
   *
   * @default 'workspace'
   */
  readonly preset?: SandboxPreset;
  /** Further paths that can be written. */
  readonly writable?: readonly string[];
  /** Paths that can be read although they lie in what is hidden: homes, mounted disks. */
  readonly readable?: readonly string[];
  /** Further paths that are hidden. */
  readonly hidden?: readonly string[];
  /** Over what the preset says. A list goes through a proxy of ours, which HTTP_PROXY and its kin name. */
  readonly network?: SandboxNetwork;
  /**
   * Whether sockets between processes can be made. One that lies in a visible directory can be connected to then, also
   * when it is somebody's outside.
   *
   * @default false
   */
  readonly unixSockets?: boolean;
  /** @default none */
  readonly memoryBytes?: number;
  /** @default 4096 */
  readonly processes?: number;
  /** @default none */
  readonly cpus?: number;
  /**
   * What `/tmp`, the private home and `/dev/shm` hold, each.
   *
   * @default 1 GiB
   */
  readonly scratchBytes?: number;
}

/** What every machine that is not this one has. */
interface ElsewhereConfig {
  /**
   * Where commands start over there: absolute, or below the home with `~/`.
   *
   * @default '~'
   */
  readonly directory?: string;
  /**
   * The bash over there, 4.4 or newer.
   *
   * @default 'bash'
   */
  readonly shell?: string;
}

/** Another machine, by the system's OpenSSH: what `~/.ssh/config` says of it holds. */
export interface SshConfig extends ElsewhereConfig {
  readonly type: 'ssh';
  /** `host` or `user@host`, or a name of `~/.ssh/config`. */
  readonly destination: string;
  readonly port?: number;
  readonly identityFile?: string;
  /** Instead of `~/.ssh/config`. */
  readonly configFile?: string;
  /** Further options, each as after `-o`: `ProxyJump=gate`. */
  readonly options?: readonly string[];
}

/** A container that is running. */
export interface ContainerConfig extends ElsewhereConfig {
  readonly type: 'docker' | 'podman';
  readonly container: string;
  readonly user?: string;
  /** Words after `docker` and before `exec`: `--host`, `--context`. */
  readonly options?: readonly string[];
}

/** A pod of a cluster, by `kubectl exec`. */
export interface KubernetesConfig extends ElsewhereConfig {
  readonly type: 'kubernetes';
  readonly pod: string;
  readonly container?: string;
  readonly namespace?: string;
  readonly context?: string;
}

/** A cluster of Slurm: each run is a step of its own. */
export interface SlurmConfig extends ElsewhereConfig {
  readonly type: 'slurm';
  /** Words for `srun` and `sbatch`: `--partition=gpu`, `--mem=8G`. */
  readonly options?: readonly string[];
}

/** Several hosts by name: a session gets the one with the fewest sessions, and stays there. */
export interface PoolConfig {
  readonly type: 'pool';
  readonly hosts: readonly string[];
}

export type HostConfig =
  | SandboxConfig
  | SshConfig
  | ContainerConfig
  | KubernetesConfig
  | SlurmConfig
  | PoolConfig;
