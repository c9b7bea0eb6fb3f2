import { hasExited, ProcReader, readBootId } from './proc-reader.ts';

/** Identifies one process: the pid alone may belong to another process later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot; `null` or 0 where `/proc` could not be read. */
  readonly startTime: number | null;
  /** Absent for an identity that was read during the current boot. */
  readonly bootId?: string;
}

/** The identity of this process. */
export function currentProcessIdentity(): Required<ProcessIdentity> {
  const { pid } = process;
  return { pid, startTime: new ProcReader().stat(pid)?.startTime ?? null, bootId: readBootId() };
}

/** Whether exactly this process is running; a zombie is not. */
export function isProcessAlive(
  { pid, startTime, bootId }: ProcessIdentity,
  proc: ProcReader = new ProcReader(),
): boolean {
  if (bootId !== undefined && bootId !== proc.bootId) return false;
  const stat = proc.stat(pid);
  // Without /proc no start time is known, so the pid has to do.
  if (stat === null) return !startTime && isPidInUse(pid);
  return !hasExited(stat) && (startTime === null || stat.startTime === startTime);
}

/** Whether any process has this pid, a zombie included: for pids that are recorded without a start time. */
export function isPidInUse(pid: number): boolean {
  // 0 and negative numbers address groups.
  return pid > 0 && canBeSignalled(pid);
}

/** Whether any process is in the group of this leader, a zombie included. */
export function isGroupInUse(leader: number): boolean {
  // -1 addresses every process.
  return leader > 1 && canBeSignalled(-leader);
}

function canBeSignalled(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
