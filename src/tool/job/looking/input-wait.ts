import type { StoredRun } from '../../../engine/run/record/store.ts';
import type { ProcessStat } from '../../../engine/run/tree/proc.ts';
import { findInputWait, type InputWait } from '../../../engine/watch/input/find-input-wait.ts';
import type { WaitingForInput } from '../../result.ts';
import { toJobInfo } from '../../runs/job-info.ts';
import { terminalOf } from '../../terminal/replay.ts';
import { hidesInput } from './hides-input.ts';
import { readLastLine } from './last-line.ts';
import { membersOf } from './members.ts';

/** The one of a run's processes that waits for input, if any does. */
export function findRunInputWait(
  run: StoredRun,
  members: readonly ProcessStat[] = membersOf(run),
): InputWait | null {
  const lastLine = (): string => readLastLine({ directory: run.directory, stream: 'out' });
  // Who makes the terminal waits for what is typed, whatever the command does.
  const watched = terminalOf(run.asked) === null ? members : members.filter(({ pid }) => pid !== run.pid);
  return findInputWait(watched, { lastLine, isEchoOff: hidesInput });
}

/** Whether a run waits for input at this moment, as a result says it. */
export function toWaitingForInput(run: StoredRun, members?: readonly ProcessStat[]): WaitingForInput | null {
  const found = findRunInputWait(run, members);
  if (found === null) return null;
  const { pid, command, lastLine, echoOff } = found;
  return { pid, command, lastLine: lastLine.trimEnd(), echoOff, canSend: toJobInfo(run).takesInput };
}
