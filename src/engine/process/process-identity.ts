import { readFileSync } from 'node:fs';
import { hasExited, ProcReader } from './proc-reader.ts';

/** Names this boot of the machine: a pid and its start time mean nothing after another one. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** The process that waits for an answer: its number means nothing without its start time and the boot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** `null` where the machine does not tell. */
  readonly startTime: number | null;
  readonly bootId: string;
}

export function currentProcessIdentity(): ProcessIdentity {
  const { pid } = process;
  return { pid, startTime: new ProcReader().stat(pid)?.startTime ?? null, bootId: readBootId() };
}

/** Whether somebody still waits: a question of one who was killed is nobody's. */
export function isProcessAlive({ pid, startTime, bootId }: ProcessIdentity): boolean {
  if (bootId !== readBootId()) return false;
  if (startTime === null) return pidExists(pid);
  const stat = new ProcReader().stat(pid);
  return !hasExited(stat) && stat?.startTime === startTime;
}

function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's, and there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
