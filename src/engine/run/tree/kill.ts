import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../files.ts';
import { readBootId } from '../record/boot.ts';
import type { StoredRun } from '../record/store.ts';
import type { ProcessName } from '../request.ts';
import { isRelayed, RelayTree } from './relay-tree.ts';
import { Grace, Nudge, stopTree } from './stop.ts';
import { Surveyor } from './survey.ts';
import { type RunTree, Tree } from './tree.ts';

/** Sends exactly this signal to everybody of a run that somebody else started. Returns how many there were. */
export async function signalRun(
  run: StoredRun,
  { signal, surveyor }: { readonly signal: NodeJS.Signals; readonly surveyor?: Surveyor | undefined },
): Promise<number> {
  const tree = treeOf(run, surveyor);
  const members = (await tree?.look()) ?? [];
  for (const member of members) tree?.signal(member, signal);
  return members.length;
}

/** Ends a run that somebody else started: TERM, grace, KILL. Resolves with those who are left. */
export async function stopRun(
  run: StoredRun,
  { graceMs, surveyor }: { readonly graceMs: number; readonly surveyor?: Surveyor | undefined },
): Promise<ProcessName[]> {
  const tree = treeOf(run, surveyor);
  if (tree === null) return [];
  // The supervisor puts it into the ending: what looks like a death by signal was asked for.
  writeFileSync(join(run.directory, RUN_FILES.reason), 'kill\n', { mode: 0o600 });
  const { survivors } = await stopTree(tree, { grace: new Grace(graceMs), nudge: new Nudge() });
  return survivors.map((stat) => tree.name(stat));
}

/** Everybody of a run, whoever started it; `null` before it began, and after a restart of the machine. */
export function treeOf(
  { id, who, directory }: StoredRun,
  surveyor: Surveyor = new Surveyor(),
): RunTree | null {
  if (who === null || who.bootId !== readBootId()) return null;
  const startTimes = { command: who.command.startTime, supervisor: who.supervisor.startTime };
  const root = {
    ...{ id, startTimes, pipes: [] },
    pid: who.command.pid,
    supervisor: who.supervisor.pid,
  };
  return isRelayed(directory) ? new RelayTree(root, { directory, surveyor }) : new Tree(root, surveyor);
}
