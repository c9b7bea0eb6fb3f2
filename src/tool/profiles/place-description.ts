import { presetOf } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { findHost } from '../hosts/find-host.ts';
import type { SandboxConfig } from '../hosts/host-config.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';

/** What a model should know of where its commands run; `null` on this machine, without a sandbox. */
export function placeDescription({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): string | null {
  if (typeof host !== 'string') return null;
  const config = findHost(host, hosts);
  if (config === null) return null;
  if (config.type === 'sandbox') return sandbox(config);
  return `Commands run on ${host}, not on the machine that you are on: paths, programs and variables are those that are there.`;
}

function sandbox({ preset = 'workspace', network: given }: SandboxConfig): string {
  const { isWorkspaceWritable, network: usual } = presetOf(preset);
  const files = isWorkspaceWritable
    ? 'only the directory of the session, `/tmp` and a private home can be written'
    : 'only `/tmp` and a private home can be written';
  return `Commands run in a sandbox: ${files}, and ${renderNetwork(given ?? usual)}. What is refused for that is said in the result.`;
}

function renderNetwork(network: NonNullable<SandboxConfig['network']>): string {
  if (network === 'on') return 'the network can be used';
  if (network === 'off') return 'there is no network';
  return `of the network only ${network.allow.join(', ') || 'nothing'} can be reached, through a proxy`;
}
