import type { StoredRun } from '../../../engine/run/record/store.ts';
import type { ProcessStat } from '../../../engine/run/tree/proc.ts';
import { Tree } from '../../../engine/run/tree/tree.ts';

/** Everybody of a run who is alive now, whoever started it. */
export function membersOf({ id, who, state }: StoredRun): ProcessStat[] {
  if (who === null || (state.kind === 'ended' && state.behind.length === 0)) return [];
  const { command, supervisor } = who;
  const startTimes = { command: command.startTime, supervisor: supervisor.startTime };
  return new Tree({
    ...{ id, pid: command.pid, supervisor: supervisor.pid },
    ...{ startTimes, startedAt: null, pipes: [] },
  }).members();
}
