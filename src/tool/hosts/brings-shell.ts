import { findHost, type Hosts } from './find-host.ts';

/** Whether a host that a setting names brings along what became of a shell; a pool does when all of its members do. */
export function bringsShell(name: string, hosts: Hosts): boolean {
  const config = findHost(name, hosts);
  if (config === null) return false;
  return config.type !== 'pool' || config.hosts.every((member) => bringsShell(member, hosts));
}
