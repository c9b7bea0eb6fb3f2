import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * How many shells a test keeps ready. With `NACRE_TEST_READY=2` every call that can have one waits for it first, so that
 * a whole suite runs through shells that were started ahead; without it, tests run as programs do.
 */
export const READY_SHELLS: number | undefined =
  process.env.NACRE_TEST_READY === undefined ? undefined : Number(process.env.NACRE_TEST_READY);

/** Until a shell of this state directory waits, or it is plain that none will. */
export async function waitForReady(state: string, patienceMs = 2_000): Promise<void> {
  if (!READY_SHELLS) return;
  const until = performance.now() + patienceMs;
  while (waiting(state).length === 0 && performance.now() < until) await pause(2);
  // It says so before we have opened its streams.
  await pause(8);
}

/** The directories of shells that wait. */
export function waiting(state: string): string[] {
  const ready = join(state, 'ready');
  try {
    return readdirSync(ready).filter((id) => existsSync(join(ready, id, 'who')));
  } catch {
    return [];
  }
}
