import { join } from 'node:path';
import { SnapshotStore } from '../../engine/shell/snapshot/snapshot-store.ts';
import { StateStore } from '../../engine/shell/state/state-store.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Session } from './session.ts';
import { SessionShell } from './session-shell.ts';
import { Snapshots } from './snapshots.ts';

/** Where a session keeps its shells. */
export const SHELLS = 'shell';

/** Whether a session's shell is kept: not where the options say no, nor where the host does not see our files. */
export function keepsState({ shellState, host }: Pick<ResolvedOptions, 'shellState' | 'host'>): boolean {
  if (!shellState) return false;
  return host === null || host === 'local' || (typeof host !== 'string' && host.sharesFiles === true);
}

/** The shell of a session, or `null` where none is kept. */
export function openSessionShell(
  session: Session,
  options: ResolvedOptions,
  shell: () => string,
): SessionShell | null {
  if (!keepsState(options)) return null;
  const { stateDirectory, shellSnapshot } = options;
  const store = shellSnapshot ? new SnapshotStore(stateDirectory) : null;
  const directory = join(session.directory, SHELLS, shellName(options));
  return new SessionShell({
    store: new StateStore(directory, options.env),
    snapshots: new Snapshots(store, shell),
    session,
  });
}

/** What was kept with another shell, prefix or environment is not for this one. */
function shellName({ shellPath, shellPrefix, shellSnapshot, env }: ResolvedOptions): string {
  const variables = Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1));
  if (shellPath === null && shellPrefix === '' && shellSnapshot && variables.length === 0) return 'default';
  const { createHash } = process.getBuiltinModule('node:crypto');
  const text = JSON.stringify([shellPath, shellPrefix, shellSnapshot, variables]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
