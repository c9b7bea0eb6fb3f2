import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SandboxNetwork, SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { NacreError } from '../../errors.ts';
import * as check from '../../validator.ts';

export type { SandboxNetwork, SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';

/** A sandbox on this machine: bubblewrap, on Linux. */
export interface SandboxConfig {
  readonly type: 'sandbox';
  /**
   * `read-only`: commands write only to scratch directories. `workspace`: they also write to the session's directory.
   * `workspace+network`: they also have network access.
   *
   * @default 'workspace'
   */
  readonly preset?: SandboxPreset;
  /** Further writable paths. */
  readonly writable?: readonly string[];
  /** Readable paths inside hidden directories, such as home directories and mounted disks. */
  readonly readable?: readonly string[];
  /** Further hidden paths. */
  readonly hidden?: readonly string[];
  /** Overrides the preset. With a list of names, traffic goes through a proxy that HTTP_PROXY and similar variables name. */
  readonly network?: SandboxNetwork;
  /**
   * Whether commands can create Unix sockets. They can then also connect to sockets of other processes in visible
   * directories.
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
   * Size of each of `/tmp`, the private home and `/dev/shm`. Without a cgroup they share `memoryBytes`.
   *
   * @default 1 GiB
   */
  readonly scratchBytes?: number;
}

/** Fields of every remote host. */
interface RemoteHostConfig {
  /**
   * Directory in which commands start on the remote host: an absolute path, or one that begins with `~/`.
   *
   * @default '~'
   */
  readonly directory?: string;
  /**
   * The bash of the remote host, 4.4 or newer.
   *
   * @default 'bash'
   */
  readonly shell?: string;
}

/** A machine that the system's OpenSSH client reaches; `~/.ssh/config` applies. */
export interface SshConfig extends RemoteHostConfig {
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

/** A running container. */
export interface ContainerConfig extends RemoteHostConfig {
  readonly type: 'docker' | 'podman';
  readonly container: string;
  readonly user?: string;
  /** Arguments between `docker` and `exec`: `--host`, `--context`. */
  readonly options?: readonly string[];
}

/** A Kubernetes pod, reached with `kubectl exec`. */
export interface KubernetesConfig extends RemoteHostConfig {
  readonly type: 'kubernetes';
  readonly pod: string;
  readonly container?: string;
  readonly namespace?: string;
  readonly context?: string;
}

/** A Slurm cluster. Each run is a job step. */
export interface SlurmConfig extends RemoteHostConfig {
  readonly type: 'slurm';
  /** Arguments of `srun` and `sbatch`: `--partition=gpu`, `--mem=8G`. */
  readonly options?: readonly string[];
}

/** Several hosts by name. A session uses the one with the fewest sessions, and stays there. */
export interface PoolConfig {
  readonly type: 'pool';
  readonly hosts: readonly string[];
}

/** A host in the option `hosts`. */
export type HostConfig =
  | SandboxConfig
  | SshConfig
  | ContainerConfig
  | KubernetesConfig
  | SlurmConfig
  | PoolConfig;

const positiveInteger = check.integer(1);
const isAbsoluteOrHomePath = (value: unknown): value is string =>
  check.isText(value) && /^(?:\/|~\/)[^\0]*$/.test(value);
const pathList = check.listOf('a list of paths that begin with / or ~/', isAbsoluteOrHomePath);
const directoryPath = check.textThat(
  'a path that begins with / or ~/, or ~ alone',
  (value) => value === '~' || isAbsoluteOrHomePath(value),
);
/** A command-line argument that is a name: one that begins with a dash would be an option. */
const nameArgument = check.textThat('a name without spaces that does not begin with a dash', (value) =>
  /^[^-\s\0][^\s\0]*$/.test(value),
);
const argumentList = check.listOf(
  'a list of texts',
  (entry): entry is string => check.isText(entry) && check.hasNoNul(entry),
);
const hostNameList: check.Check<readonly string[]> = {
  expected: 'a list of at least one name of a host',
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.length > 0 && value.every((name) => check.isText(name) && name !== ''),
};
const networkSetting: check.Check<SandboxNetwork> = {
  expected: 'off, on, or {allow: a list of host names}',
  accepts: (value): value is SandboxNetwork =>
    value === 'off' ||
    value === 'on' ||
    (check.isRecord(value) &&
      Object.keys(value).join() === 'allow' &&
      Array.isArray(value.allow) &&
      value.allow.every((name) => check.isText(name) && /^(?:\*\.)?[\w.-]+(?::\d+)?$/.test(name))),
};

const REMOTE_FIELDS: check.Shape = { directory: directoryPath, shell: check.path };
const CONTAINER_FIELDS: check.Shape = {
  ...REMOTE_FIELDS,
  container: nameArgument,
  user: nameArgument,
  options: argumentList,
};

interface HostType {
  readonly required: readonly string[];
  readonly fields: check.Shape;
}

const HOST_TYPES: Readonly<Record<HostConfig['type'], HostType>> = {
  sandbox: {
    required: [],
    fields: {
      preset: check.oneOf('read-only', 'workspace', 'workspace+network'),
      writable: pathList,
      readable: pathList,
      hidden: pathList,
      network: networkSetting,
      unixSockets: check.boolean,
      memoryBytes: positiveInteger,
      processes: positiveInteger,
      cpus: check.positiveNumber,
      scratchBytes: positiveInteger,
    },
  },
  ssh: {
    required: ['destination'],
    fields: {
      ...REMOTE_FIELDS,
      destination: nameArgument,
      port: check.integer(1, 65_535),
      identityFile: check.path,
      configFile: check.path,
      options: argumentList,
    },
  },
  docker: { required: ['container'], fields: CONTAINER_FIELDS },
  podman: { required: ['container'], fields: CONTAINER_FIELDS },
  kubernetes: {
    required: ['pod'],
    fields: {
      ...REMOTE_FIELDS,
      pod: nameArgument,
      container: nameArgument,
      namespace: nameArgument,
      context: nameArgument,
    },
  },
  slurm: { required: [], fields: { ...REMOTE_FIELDS, options: argumentList } },
  pool: { required: ['hosts'], fields: { hosts: hostNameList } },
};

/**
 * Rejects invalid names and configurations of hosts, and pools inside pools.
 *
 * @throws {NacreError} `option_invalid`, `option_unknown`
 */
export function checkHostConfigs(hosts: Readonly<Record<string, unknown>>): void {
  for (const [name, config] of Object.entries(hosts)) {
    checkHostName(name, config);
    checkHostConfig(name, config);
    if (config.type !== 'pool') continue;
    const nested = config.hosts.find((member) => {
      const other = Object.hasOwn(hosts, member) ? hosts[member] : undefined;
      return check.isRecord(other) && other.type === 'pool';
    });
    if (nested !== undefined)
      throw invalidHost(`hosts.${name}.hosts`, 'names of hosts that are no pools', nested);
  }
}

/** The names `local` and `sandbox` keep their meaning, because users rely on the isolation of a sandbox. */
function checkHostName(name: string, config: unknown): void {
  const type = check.isRecord(config) ? config.type : config;
  if (!/^[\w.:@/+-]{1,200}$/.test(name))
    throw invalidHost('hosts', 'names of letters, digits and . : @ / + - _, 200 at most', name);
  if (name === 'local') throw invalidHost('hosts.local', 'another name: local is this machine', config);
  if (/^sandbox(?:\/|$)/.test(name) && type !== 'sandbox')
    throw invalidHost(`hosts.${name}.type`, 'sandbox, for a host of this name', type);
}

/**
 * Rejects the invalid configuration of one host, with the name of the field.
 *
 * @throws {NacreError} `option_invalid`, `option_unknown`
 */
export function checkHostConfig(name: string, config: unknown): asserts config is HostConfig {
  const option = `hosts.${name}`;
  if (!check.isRecord(config)) throw invalidHost(option, 'an object', config);
  const { type, ...fields } = config;
  const types: Readonly<Record<string, HostType>> = HOST_TYPES;
  const known = check.isText(type) && Object.hasOwn(types, type) ? types[type] : undefined;
  if (known === undefined) throw invalidHost(`${option}.type`, check.joinChoices(Object.keys(types)), type);
  const problem = check.findFieldProblem(fields, known.fields, known.required);
  if (problem === null) return;
  const path = `${option}.${problem.field}`;
  if (problem.kind === 'unknown')
    throw new NacreError('option_unknown', { option: path, hint: problem.hint });
  throw invalidHost(path, problem.expected, problem.value);
}

function invalidHost(option: string, expected: string, value: unknown): NacreError {
  return new NacreError('option_invalid', { option, expected, received: check.describeValue(value) });
}

/** Replaces a leading `~` by the home directory. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
