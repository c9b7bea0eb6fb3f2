import { ownValue } from '../../engine/text/own-value.ts';
import { NacreError } from '../../errors.ts';
import { checkHost } from './check-host.ts';
import type { HostConfig } from './host-config.ts';

export type Hosts = Readonly<Record<string, HostConfig>>;

/** Names that need no setting. */
const BUILT_IN: Hosts = {
  sandbox: { type: 'sandbox' },
  'sandbox/read-only': { type: 'sandbox', preset: 'read-only' },
  'sandbox/workspace': { type: 'sandbox', preset: 'workspace' },
  'sandbox/workspace+network': { type: 'sandbox', preset: 'workspace+network' },
  slurm: { type: 'slurm' },
};

/** `ssh:build1`: what stands behind the colon goes into this field. */
const SHORT: Readonly<Record<string, string>> = {
  ssh: 'destination',
  docker: 'container',
  podman: 'container',
  kubernetes: 'pod',
};

/** Refuses a name that stands for nothing. */
export function requireHost(name: string, hosts: Hosts = {}): void {
  findHost(name, hosts);
}

/** What a name stands for; `null` is this machine. One of the settings comes before one that is built in. */
export function findHost(name: string, hosts: Hosts): HostConfig | null {
  if (name === 'local') return null;
  if (Object.hasOwn(hosts, name)) return hosts[name] ?? null;
  if (Object.hasOwn(BUILT_IN, name)) return BUILT_IN[name] ?? null;
  const [, type = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(name) ?? [];
  const field = ownValue(SHORT, type);
  if (field === undefined) throw new NacreError('host_unknown', { name, hosts: known(hosts) });
  const config = { type, [field]: rest };
  checkHost(name, config);
  return config;
}

function known(hosts: Hosts): string {
  const names = ['local', ...Object.keys(BUILT_IN), ...Object.keys(hosts)];
  return `${[...new Set(names)].join(', ')}, ${Object.keys(SHORT)
    .map((type) => `${type}:<name>`)
    .join(', ')}`;
}
