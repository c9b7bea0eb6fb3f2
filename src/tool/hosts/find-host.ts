import type { Host } from '../../engine/hosts/host.ts';
import { ownProperty } from '../../engine/text/own-property.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { checkHostConfig, type HostConfig } from '../options/host-config.ts';

/** Whether a session's shell is kept: not where the options say no, nor where nobody could bring along what became of it. */
export function keepsShellState({
  shellState,
  host,
  hosts,
}: Pick<ResolvedOptions, 'shellState' | 'host' | 'hosts'>): boolean {
  if (!shellState || host === null || host === 'local') return shellState;
  return typeof host === 'string' ? hostReturnsShellState(host, hosts) : canKeepShellState(host);
}

export function canKeepShellState({ sharesFiles, bringsShell }: Host): boolean {
  return sharesFiles === true || bringsShell === true;
}

export type HostConfigs = Readonly<Record<string, HostConfig>>;

/** Names that need no setting. */
const BUILT_IN_HOSTS: HostConfigs = {
  sandbox: { type: 'sandbox' },
  'sandbox/read-only': { type: 'sandbox', preset: 'read-only' },
  'sandbox/workspace': { type: 'sandbox', preset: 'workspace' },
  'sandbox/workspace+network': { type: 'sandbox', preset: 'workspace+network' },
  slurm: { type: 'slurm' },
};

/** `ssh:build1`: what stands behind the colon goes into this field. */
const NAME_FIELD_BY_TYPE: Readonly<Record<string, string>> = {
  ssh: 'destination',
  docker: 'container',
  podman: 'container',
  kubernetes: 'pod',
};

/** Refuses a name that stands for nothing. */
export function requireHost(name: string, hosts: HostConfigs = {}): void {
  findHostConfig(name, hosts);
}

/** What a name stands for; `null` is this machine. One of the settings comes before one that is built in. */
export function findHostConfig(name: string, hosts: HostConfigs): HostConfig | null {
  if (name === 'local') return null;
  if (Object.hasOwn(hosts, name)) return hosts[name] ?? null;
  if (Object.hasOwn(BUILT_IN_HOSTS, name)) return BUILT_IN_HOSTS[name] ?? null;
  const [, type = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(name) ?? [];
  const field = ownProperty(NAME_FIELD_BY_TYPE, type);
  if (field === undefined) throw new NacreError('host_unknown', { name, hosts: renderKnownHosts(hosts) });
  const config = { type, [field]: rest };
  checkHostConfig(name, config);
  return config;
}

function renderKnownHosts(hosts: HostConfigs): string {
  const names = ['local', ...Object.keys(BUILT_IN_HOSTS), ...Object.keys(hosts)];
  return `${[...new Set(names)].join(', ')}, ${Object.keys(NAME_FIELD_BY_TYPE)
    .map((type) => `${type}:<name>`)
    .join(', ')}`;
}

/** Whether a host that a setting names brings along what became of a shell; a pool does when all of its members do. */
export function hostReturnsShellState(name: string, hosts: HostConfigs): boolean {
  const config = findHostConfig(name, hosts);
  if (config === null) return false;
  return config.type !== 'pool' || config.hosts.every((member) => hostReturnsShellState(member, hosts));
}

/** Whether commands run where nothing of this machine's files is. */
export function isRemoteHost({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): boolean {
  return typeof host === 'string' && isRemoteHostName(host, hosts);
}

/** Of a pool the first member speaks for all: they must be of one kind. */
function isRemoteHostName(name: string, hosts: HostConfigs): boolean {
  const config = findHostConfig(name, hosts);
  if (config === null || config.type === 'sandbox') return false;
  return config.type !== 'pool' || isRemoteHostName(config.hosts[0] ?? 'local', hosts);
}
