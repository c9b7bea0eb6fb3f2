import { readFileSync } from 'node:fs';

/** Whether there is such a process; one that is only waiting to be buried does not count. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
