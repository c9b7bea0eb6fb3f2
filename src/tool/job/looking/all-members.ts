import type { StoredRun } from '../../../engine/run/record/store.ts';
import { isGone, type ProcessStat, ProcReader } from '../../../engine/run/tree/proc.ts';
import { RUN_VARIABLE } from '../../../engine/run/tree/survey.ts';

/** The processes of many runs by one walk over all there are: by their session, or by the mark they carry. */
export function membersOfAll(runs: readonly StoredRun[]): ReadonlyMap<string, readonly ProcessStat[]> {
  const found = new Map<string, ProcessStat[]>(runs.map(({ id }) => [id, []]));
  const bySession = new Map(runs.flatMap(({ id, who }) => (who === null ? [] : [[who.supervisor.pid, id]])));
  const proc = new ProcReader();
  for (const pid of runs.length === 0 ? [] : proc.pids()) {
    const stat = proc.stat(pid);
    if (stat === null || isGone(stat)) continue;
    const supervised = bySession.get(stat.session);
    // The supervisor's own group is ours, not the command's.
    if (supervised !== undefined && stat.group === stat.session) continue;
    const id = supervised ?? proc.variable(pid, RUN_VARIABLE);
    if (id !== undefined) found.get(id)?.push(stat);
  }
  return found;
}
