import type { StoredRun } from '../../../engine/run/record/store.ts';
import { treeOf } from '../../../engine/run/tree/kill.ts';
import type { ProcessStat } from '../../../engine/run/tree/proc.ts';
import { isLive } from '../../runs/job-info.ts';

/** Everybody of a run who is alive now, whoever started it. */
export function membersOf(run: StoredRun): readonly ProcessStat[] {
  return isLive(run) ? (treeOf(run)?.members() ?? []) : [];
}
