import { readFileSync } from 'node:fs';
import type { ProcessStat, ProcReader } from '../../run/tree/proc.ts';

/** The processes below one, as this side of the namespace numbers them; parents come before their children. */
export function descendants(root: number, proc: ProcReader): ProcessStat[] {
  const found: ProcessStat[] = [];
  const pending = children(root, proc);
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    const stat = proc.stat(pid);
    if (stat === null) continue;
    found.push(stat);
    pending.push(...children(pid, proc));
  }
  return found;
}

/** A kernel without the list of children is asked for everybody. */
export function children(pid: number, proc: ProcReader): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return proc.pids(1).filter((other) => proc.stat(other)?.parent === pid);
  }
}

/** The number a process has in its own namespace. */
export function innerPid(pid: number): number | null {
  try {
    const [, numbers = ''] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(numbers.split(/\s+/).at(-1)) || null;
  } catch {
    return null;
  }
}
