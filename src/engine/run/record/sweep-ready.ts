import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../files.ts';
import { isGone, ProcReader } from '../tree/proc.ts';
import { isRunId } from './id.ts';
import { readWho } from './judge.ts';
import { makeDirectory } from './make-directory.ts';
import type { ReadyPlace } from './ready-directory.ts';

/** One that is being made has nobody on record yet. */
const YOUNG_MS = 60_000;

/** Removes directories of shells that were kept ready and are gone: somebody killed their supervisors. One that was used is a run. */
export function sweepReady({ ready, runs, bootId }: ReadyPlace): void {
  const proc = new ProcReader();
  for (const id of names(ready)) {
    const directory = join(ready, id);
    const who = readWho(directory);
    const stat = who === null ? null : proc.stat(who.supervisor.pid);
    const isLive = who?.bootId === bootId && !isGone(stat) && stat?.startTime === who.supervisor.startTime;
    if (isLive || isYoung(directory)) continue;
    if (wasUsed(directory)) {
      makeDirectory(runs);
      renameSync(directory, join(runs, id));
    } else rmSync(directory, { recursive: true, force: true });
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

/** It got its command, and everybody was killed before it could move to its place. */
function wasUsed(directory: string): boolean {
  const asked = statSync(join(directory, RUN_FILES.asked), { throwIfNoEntry: false });
  return asked !== undefined && asked.size > 0;
}
