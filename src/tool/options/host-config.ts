import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SandboxNetwork, SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { ownProperty } from '../../engine/text/own-property.ts';
import { NacreError } from '../../errors.ts';
import { describeValue, findNearestName } from '../contract/value-errors.ts';
import * as check from './option-checks.ts';

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
interface RemoteHostConfig {
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

/** A container that is running. */
export interface ContainerConfig extends RemoteHostConfig {
  readonly type: 'docker' | 'podman';
  readonly container: string;
  readonly user?: string;
  /** Words after `docker` and before `exec`: `--host`, `--context`. */
  readonly options?: readonly string[];
}

/** A pod of a cluster, by `kubectl exec`. */
export interface KubernetesConfig extends RemoteHostConfig {
  readonly type: 'kubernetes';
  readonly pod: string;
  readonly container?: string;
  readonly namespace?: string;
  readonly context?: string;
}

/** A cluster of Slurm: each run is a step of its own. */
export interface SlurmConfig extends RemoteHostConfig {
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

type HostFieldChecks = Readonly<Record<string, check.OptionCheck>>;

const positiveInteger = check.integerFrom(1);
const pathList: check.OptionCheck = {
  expected: 'a list of paths that begin with / or ~/',
  accepts: (value) => Array.isArray(value) && value.every((path) => isAbsoluteOrHomePath(path)),
};
const directoryPath: check.OptionCheck = {
  expected: 'a path that begins with / or ~/, or ~ alone',
  accepts: (value) => value === '~' || isAbsoluteOrHomePath(value),
};
/** A word that a program takes for a name: one that begins with a dash would be an option. */
const nameWord: check.OptionCheck = {
  expected: 'a name without spaces that does not begin with a dash',
  accepts: (value) => typeof value === 'string' && /^[^-\s\0][^\s\0]*$/.test(value),
};
const argumentList: check.OptionCheck = {
  expected: 'a list of texts',
  accepts: (value) =>
    Array.isArray(value) && value.every((entry) => typeof entry === 'string' && !/\0/.test(entry)),
};
const hostNameList: check.OptionCheck = {
  expected: 'a list of at least one name of a host',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === 'string' && name !== ''),
};
const positiveNumber: check.OptionCheck = {
  expected: 'a number above 0',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
};
const networkSetting: check.OptionCheck = {
  expected: 'off, on, or {allow: a list of host names}',
  accepts: (value) =>
    value === 'off' ||
    value === 'on' ||
    (check.isRecord(value) &&
      Object.keys(value).join() === 'allow' &&
      Array.isArray(value.allow) &&
      value.allow.every((name) => typeof name === 'string' && /^(?:\*\.)?[\w.-]+(?::\d+)?$/.test(name))),
};

const REMOTE_FIELDS: HostFieldChecks = { directory: directoryPath, shell: check.path };

const HOST_FIELDS: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly takes: HostFieldChecks }>
> = {
  sandbox: {
    needs: [],
    takes: {
      preset: check.oneOf('read-only', 'workspace', 'workspace+network'),
      writable: pathList,
      readable: pathList,
      hidden: pathList,
      network: networkSetting,
      unixSockets: check.flag,
      memoryBytes: positiveInteger,
      processes: positiveInteger,
      cpus: positiveNumber,
      scratchBytes: positiveInteger,
    },
  },
  ssh: {
    needs: ['destination'],
    takes: {
      ...REMOTE_FIELDS,
      destination: nameWord,
      port: check.integerFrom(1, 65_535),
      identityFile: check.path,
      configFile: check.path,
      options: argumentList,
    },
  },
  docker: {
    needs: ['container'],
    takes: { ...REMOTE_FIELDS, container: nameWord, user: nameWord, options: argumentList },
  },
  podman: {
    needs: ['container'],
    takes: { ...REMOTE_FIELDS, container: nameWord, user: nameWord, options: argumentList },
  },
  kubernetes: {
    needs: ['pod'],
    takes: { ...REMOTE_FIELDS, pod: nameWord, container: nameWord, namespace: nameWord, context: nameWord },
  },
  slurm: { needs: [], takes: { ...REMOTE_FIELDS, options: argumentList } },
  pool: { needs: ['hosts'], takes: { hosts: hostNameList } },
};

const HOST_TYPES = Object.keys(HOST_FIELDS);

/** All of the setting: each host by itself, and what they mean to each other. */
export function checkHostConfigs(hosts: Readonly<Record<string, unknown>>): void {
  for (const [name, config] of Object.entries(hosts)) {
    checkHostName(name, config);
    checkHostConfig(name, config);
    if (config.type !== 'pool') continue;
    const nested = config.hosts.find((member) => (ownProperty(hosts, member) as HostConfig)?.type === 'pool');
    if (nested !== undefined)
      throw invalidHostConfig(`hosts.${name}.hosts`, {
        expected: 'names of hosts that are no pools',
        value: nested,
      });
  }
}

/** What everybody takes for a protection must be one, and this machine needs no setting. */
function checkHostName(name: string, config: unknown): void {
  const isSandbox = check.isRecord(config) && config.type === 'sandbox';
  if (!/^[\w.:@/+-]{1,200}$/.test(name))
    throw new NacreError('option_invalid', {
      option: 'hosts',
      expected: 'names of letters, digits and . : @ / + - _, 200 at most',
      received: describeValue(name),
    });
  if (name === 'local')
    throw invalidHostConfig('hosts.local', {
      expected: 'another name: local is this machine',
      value: config,
    });
  if (/^sandbox(?:\/|$)/.test(name) && !isSandbox)
    throw invalidHostConfig(`hosts.${name}.type`, {
      expected: 'sandbox, for a host of this name',
      value: check.isRecord(config) ? config.type : config,
    });
}

/** Refuses a host that makes no sense, with the name of the field. */
export function checkHostConfig(name: string, config: unknown): asserts config is HostConfig {
  const option = `hosts.${name}`;
  if (!check.isRecord(config)) throw invalidHostConfig(option, { expected: 'an object', value: config });
  const { type } = config;
  const table = typeof type === 'string' ? ownProperty(HOST_FIELDS, type) : undefined;
  if (table === undefined)
    throw invalidHostConfig(`${option}.type`, { expected: HOST_TYPES.join(' or '), value: type });
  for (const [key, value] of Object.entries(config))
    if (key !== 'type' && value !== undefined)
      checkHostField(`${option}.${key}`, { key, value, takes: table.takes });
  const missing = table.needs.find((key) => config[key] === undefined);
  if (missing !== undefined)
    throw invalidHostConfig(`${option}.${missing}`, {
      expected: table.takes[missing]?.expected ?? '',
      value: undefined,
    });
}

function checkHostField(
  option: string,
  { key, value, takes }: { key: string; value: unknown; takes: HostFieldChecks },
): void {
  const entry = ownProperty(takes, key);
  if (entry === undefined) {
    const meant = findNearestName(key, Object.keys(takes));
    const expected = `an option there is${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
    throw invalidHostConfig(option, { expected, value });
  }
  if (!entry.accepts(value)) throw invalidHostConfig(option, { expected: entry.expected, value });
}

function isAbsoluteOrHomePath(value: unknown): boolean {
  return typeof value === 'string' && /^(?:\/|~\/)[^\0]*$/.test(value);
}

function invalidHostConfig(
  option: string,
  { expected, value }: { expected: string; value: unknown },
): NacreError {
  return new NacreError('option_invalid', { option, expected, received: describeValue(value) });
}

/** A path as a person wrote it for this machine. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
