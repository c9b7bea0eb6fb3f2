import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isGone, ProcReader } from '../tree/proc.ts';
import { isRunId } from './id.ts';
import { readWho } from './judge.ts';

/** One that is being made has nobody on record yet. */
const YOUNG_MS = 60_000;

/** Removes directories of shells that were kept ready and are gone: somebody killed their supervisors. */
export function sweepReady({ ready, bootId }: { ready: string; bootId: string }): void {
  const proc = new ProcReader();
  for (const id of names(ready)) {
    const directory = join(ready, id);
    const who = readWho(directory);
    const stat = who === null ? null : proc.stat(who.supervisor.pid);
    const isLive = who?.bootId === bootId && !isGone(stat) && stat?.startTime === who.supervisor.startTime;
    if (isLive || isYoung(directory)) continue;
    rmSync(directory, { recursive: true, force: true });
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory).filter(isRunId);
  } catch {
    return [];
  }
}

function isYoung(directory: string): boolean {
  const found = statSync(directory, { throwIfNoEntry: false });
  return found === undefined || Date.now() - found.mtimeMs < YOUNG_MS;
}
