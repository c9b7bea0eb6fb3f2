import type { Host } from '../../engine/hosts/host.ts';
import { ownProperty } from '../../engine/text/own-property.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { checkHostConfig, type HostConfig } from '../options/host-config.ts';

/** Whether the session's shell state is kept: the options allow it and the host can return the state. */
export function keepsShellState({
  shellState,
  host,
  hosts,
}: Pick<ResolvedOptions, 'shellState' | 'host' | 'hosts'>): boolean {
  if (!shellState || host === null || host === 'local') return shellState;
  return typeof host === 'string' ? hostReturnsShellState(host, hosts) : canKeepShellState(host);
}

/** Whether a host shares files with this machine or returns the shell state. */
export function canKeepShellState({ sharesFiles, bringsShell }: Host): boolean {
  return sharesFiles === true || bringsShell === true;
}

type HostConfigs = Readonly<Record<string, HostConfig>>;

/** Hosts that need no configuration. */
const BUILT_IN_HOSTS: HostConfigs = {
  sandbox: { type: 'sandbox' },
  'sandbox/read-only': { type: 'sandbox', preset: 'read-only' },
  'sandbox/workspace': { type: 'sandbox', preset: 'workspace' },
  'sandbox/workspace+network': { type: 'sandbox', preset: 'workspace+network' },
  slurm: { type: 'slurm' },
};

/** Field that takes the part after the colon in names such as `ssh:build1`. */
const NAME_FIELD_BY_TYPE: Readonly<Record<string, string>> = {
  ssh: 'destination',
  docker: 'container',
  podman: 'container',
  kubernetes: 'pod',
};

/** Throws `host_unknown` for a name without a configuration. */
export function requireHost(name: string, hosts: HostConfigs = {}): void {
  findHostConfig(name, hosts);
}

/**
 * Finds the configuration of a host; `null` for the local host. Configured hosts take precedence over built-in
 * ones.
 */
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

/** Whether a configured host returns the shell state; for a pool, whether all members do. */
export function hostReturnsShellState(name: string, hosts: HostConfigs): boolean {
  const config = findHostConfig(name, hosts);
  if (config === null) return false;
  return config.type !== 'pool' || config.hosts.every((member) => hostReturnsShellState(member, hosts));
}

/** Whether commands run on a host without access to files of this machine. */
export function isRemoteHost({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): boolean {
  return typeof host === 'string' && isRemoteHostName(host, hosts);
}

/** All members of a pool are of one kind. */
function isRemoteHostName(name: string, hosts: HostConfigs): boolean {
  const config = findHostConfig(name, hosts);
  if (config === null || config.type === 'sandbox') return false;
  return config.type !== 'pool' || isRemoteHostName(config.hosts[0] ?? 'local', hosts);
}
