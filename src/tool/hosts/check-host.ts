import { ownValue } from '../../engine/text/own-value.ts';
import { NacreError } from '../../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { nearestName } from '../input/nearest-name.ts';
import * as check from '../options/check.ts';
import type { HostConfig } from './host-config.ts';

type Table = Readonly<Record<string, check.Check>>;

const size = check.wholeFrom(1);
const paths: check.Check = {
  expected: 'a list of paths that begin with / or ~/',
  accepts: (value) => Array.isArray(value) && value.every((path) => isPlace(path)),
};
const place: check.Check = {
  expected: 'a path that begins with / or ~/, or ~ alone',
  accepts: (value) => value === '~' || isPlace(value),
};
/** A word that a program takes for a name: one that begins with a dash would be an option. */
const word: check.Check = {
  expected: 'a name without spaces that does not begin with a dash',
  accepts: (value) => typeof value === 'string' && /^[^-\s\0][^\s\0]*$/.test(value),
};
const words: check.Check = {
  expected: 'a list of texts',
  accepts: (value) =>
    Array.isArray(value) && value.every((entry) => typeof entry === 'string' && !/\0/.test(entry)),
};
const members: check.Check = {
  expected: 'a list of at least one name of a host',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === 'string' && name !== ''),
};
const positive: check.Check = {
  expected: 'a number above 0',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
};
const network: check.Check = {
  expected: 'off, on, or {allow: a list of host names}',
  accepts: (value) =>
    value === 'off' ||
    value === 'on' ||
    (check.isRecord(value) &&
      Object.keys(value).join() === 'allow' &&
      Array.isArray(value.allow) &&
      value.allow.every((name) => typeof name === 'string' && /^(?:\*\.)?[\w.-]+(?::\d+)?$/.test(name))),
};

const ELSEWHERE: Table = { directory: place, shell: check.path };

const TABLES: Readonly<Record<string, { readonly needs: readonly string[]; readonly takes: Table }>> = {
  sandbox: {
    needs: [],
    takes: {
      preset: check.oneOf('read-only', 'workspace', 'workspace+network'),
      writable: paths,
      readable: paths,
      hidden: paths,
      network,
      unixSockets: check.flag,
      memoryBytes: size,
      processes: size,
      cpus: positive,
      scratchBytes: size,
    },
  },
  ssh: {
    needs: ['destination'],
    takes: {
      ...ELSEWHERE,
      destination: word,
      port: check.wholeFrom(1, 65_535),
      identityFile: check.path,
      configFile: check.path,
      options: words,
    },
  },
  docker: { needs: ['container'], takes: { ...ELSEWHERE, container: word, user: word, options: words } },
  podman: { needs: ['container'], takes: { ...ELSEWHERE, container: word, user: word, options: words } },
  kubernetes: {
    needs: ['pod'],
    takes: { ...ELSEWHERE, pod: word, container: word, namespace: word, context: word },
  },
  slurm: { needs: [], takes: { ...ELSEWHERE, options: words } },
  pool: { needs: ['hosts'], takes: { hosts: members } },
};

const TYPES = Object.keys(TABLES);

/** All of the setting: each host by itself, and what they mean to each other. */
export function checkHosts(hosts: Readonly<Record<string, unknown>>): void {
  for (const [name, config] of Object.entries(hosts)) {
    checkName(name, config);
    checkHost(name, config);
    if (config.type !== 'pool') continue;
    const nested = config.hosts.find((member) => (ownValue(hosts, member) as HostConfig)?.type === 'pool');
    if (nested !== undefined)
      throw invalid(`hosts.${name}.hosts`, { expected: 'names of hosts that are no pools', value: nested });
  }
}

/** What everybody takes for a protection must be one, and this machine needs no setting. */
function checkName(name: string, config: unknown): void {
  const isSandbox = check.isRecord(config) && config.type === 'sandbox';
  if (!/^[\w.:@/+-]{1,200}$/.test(name))
    throw new NacreError('option_invalid', {
      option: 'hosts',
      expected: 'names of letters, digits and . : @ / + - _, 200 at most',
      received: describeValue(name),
    });
  if (name === 'local')
    throw invalid('hosts.local', { expected: 'another name: local is this machine', value: config });
  if (/^sandbox(?:\/|$)/.test(name) && !isSandbox)
    throw invalid(`hosts.${name}.type`, {
      expected: 'sandbox, for a host of this name',
      value: check.isRecord(config) ? config.type : config,
    });
}

/** Refuses a host that makes no sense, with the name of the field. */
export function checkHost(name: string, config: unknown): asserts config is HostConfig {
  const option = `hosts.${name}`;
  if (!check.isRecord(config)) throw invalid(option, { expected: 'an object', value: config });
  const { type } = config;
  const table = typeof type === 'string' ? ownValue(TABLES, type) : undefined;
  if (table === undefined) throw invalid(`${option}.type`, { expected: TYPES.join(' or '), value: type });
  for (const [key, value] of Object.entries(config))
    if (key !== 'type' && value !== undefined)
      checkField(`${option}.${key}`, { key, value, takes: table.takes });
  const missing = table.needs.find((key) => config[key] === undefined);
  if (missing !== undefined)
    throw invalid(`${option}.${missing}`, {
      expected: table.takes[missing]?.expected ?? '',
      value: undefined,
    });
}

function checkField(
  option: string,
  { key, value, takes }: { key: string; value: unknown; takes: Table },
): void {
  const entry = ownValue(takes, key);
  if (entry === undefined) {
    const meant = nearestName(key, Object.keys(takes));
    const expected = `an option there is${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
    throw invalid(option, { expected, value });
  }
  if (!entry.accepts(value)) throw invalid(option, { expected: entry.expected, value });
}

function isPlace(value: unknown): boolean {
  return typeof value === 'string' && /^(?:\/|~\/)[^\0]*$/.test(value);
}

function invalid(option: string, { expected, value }: { expected: string; value: unknown }): NacreError {
  return new NacreError('option_invalid', { option, expected, received: describeValue(value) });
}
