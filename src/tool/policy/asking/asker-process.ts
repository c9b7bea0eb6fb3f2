import { readBootId } from '../../../engine/run/record/boot.ts';
import { isGone, ProcReader } from '../../../engine/run/tree/proc.ts';

/** The process that waits for an answer: its number means nothing without its start time and the boot. */
export interface AskerProcess {
  readonly pid: number;
  /** `null` where the machine does not tell. */
  readonly startTime: number | null;
  readonly bootId: string;
}

export function thisProcess(): AskerProcess {
  const { pid } = process;
  return { pid, startTime: new ProcReader().stat(pid)?.startTime ?? null, bootId: readBootId() };
}

/** Whether somebody still waits: a question of one who was killed is nobody's. */
export function isAlive({ pid, startTime, bootId }: AskerProcess): boolean {
  if (bootId !== readBootId()) return false;
  if (startTime === null) return answersSignals(pid);
  const stat = new ProcReader().stat(pid);
  return !isGone(stat) && stat?.startTime === startTime;
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's, and there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
