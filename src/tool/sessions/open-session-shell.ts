import { join } from 'node:path';
import type { Host } from '../../engine/hosts/host.ts';
import { SnapshotStore } from '../../engine/shell/snapshot/snapshot-store.ts';
import { StateStore } from '../../engine/shell/state/state-store.ts';
import { bringsShell } from '../hosts/brings-shell.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Session } from './session.ts';
import { SessionShell } from './session-shell.ts';
import { Snapshots } from './snapshots.ts';

/** Where a session keeps its shells. */
export const SHELLS = 'shell';

/** Whether a session's shell is kept: not where the options say no, nor where nobody could bring along what became of it. */
export function keepsState({
  shellState,
  host,
  hosts,
}: Pick<ResolvedOptions, 'shellState' | 'host' | 'hosts'>): boolean {
  if (!shellState || host === null || host === 'local') return shellState;
  return typeof host === 'string' ? bringsShell(host, hosts) : canKeep(host);
}

function canKeep({ sharesFiles, bringsShell }: Host): boolean {
  return sharesFiles === true || bringsShell === true;
}

/** The shell of a session, or `null` where none is kept. */
export function openSessionShell(
  session: Session,
  options: ResolvedOptions,
  { host, shell }: { readonly host: Host; readonly shell: () => string },
): SessionShell | null {
  if (!options.shellState || !canKeep(host)) return null;
  const { stateDirectory, shellSnapshot } = options;
  const isShared = host.sharesFiles === true;
  // The user's shell is the one on this machine.
  const store = shellSnapshot && isShared ? new SnapshotStore(stateDirectory) : null;
  const directory = join(session.directory, SHELLS, shellName(options));
  return new SessionShell({
    store: new StateStore(directory, options.env),
    snapshots: new Snapshots(store, shell),
    session,
    isShared,
  });
}

/** What was kept on another host, or with another shell, prefix or environment is not for this one. */
function shellName({ shellPath, shellPrefix, shellSnapshot, env, host, hosts }: ResolvedOptions): string {
  const variables = Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1));
  const place = placeOf({ host, hosts });
  if (shellPath === null && shellPrefix === '' && shellSnapshot && variables.length === 0 && place === null)
    return 'default';
  const { createHash } = process.getBuiltinModule('node:crypto');
  const parts = [shellPath, shellPrefix, shellSnapshot, variables];
  const text = JSON.stringify(place === null ? parts : [...parts, place]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** `null` on this machine, without a sandbox. */
function placeOf({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): unknown {
  if (host === null || host === 'local') return null;
  if (typeof host !== 'string') return host.name === 'local' ? null : host.name;
  return [host, Object.hasOwn(hosts, host) ? hosts[host] : null];
}
