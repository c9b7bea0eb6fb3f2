import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SHELLS } from './open-session-shell.ts';

/** A key that nobody chose: whoever made it has most likely forgotten it by the time it is this old. */
const MADE_UP = /^s-[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Removes the shells of sessions without a name that nobody has used for a long time. Those with a name stay. */
export function sweepShells(stateDirectory: string, maxAgeMs: number, now: number = Date.now()): void {
  const sessions = join(stateDirectory, 'sessions');
  for (const name of namesIn(sessions)) {
    if (!MADE_UP.test(name)) continue;
    const shells = join(sessions, name, SHELLS);
    const ages = namesIn(shells).map((shell) => now - usedAt(join(shells, shell)));
    if (ages.length > 0 && Math.min(...ages) > maxAgeMs) rmSync(shells, { recursive: true, force: true });
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Every call that changes the shell makes and removes files beside it. */
function usedAt(directory: string): number {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
