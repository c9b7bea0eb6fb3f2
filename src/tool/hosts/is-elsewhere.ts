import type { ResolvedOptions } from '../options/resolved-options.ts';
import { findHost, type Hosts } from './find-host.ts';

/** Whether commands run where nothing of this machine's files is. */
export function isElsewhere({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): boolean {
  return typeof host === 'string' && isFar(host, hosts);
}

/** Of a pool the first member speaks for all: they must be of one kind. */
function isFar(name: string, hosts: Hosts): boolean {
  const config = findHost(name, hosts);
  if (config === null || config.type === 'sandbox') return false;
  return config.type !== 'pool' || isFar(config.hosts[0] ?? 'local', hosts);
}
