import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NacreError } from '../../../errors.ts';
import { RUN_FILES } from '../files.ts';
import type { StoredRun } from '../record/store.ts';
import { writeNow } from './write-now.ts';

/** How long a command may leave its input unread before sending gives up. */
const PATIENCE_MS = 5_000;

/** How often we look for a listener that has only just been started. */
const LISTENER_LOOKS = 100;

/** Where the supervisor's listener holds the pipe of an input that was left open. */
const INPUT_FD = 4;

/** Whose input. It is not the caller who holds it, so it can be reached after the caller has been restarted, too. */
export interface InputPlace {
  readonly id: string;
  readonly directory: string;
}

/** Writes all of it, waiting while the pipe is full. */
export async function sendInput(place: InputPlace, bytes: string | Buffer): Promise<void> {
  const { id } = place;
  const fd = openSync(await findPipe(place), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    let rest = Buffer.from(bytes);
    const until = performance.now() + PATIENCE_MS;
    while (rest.length > 0) {
      const written = writeNow(fd, rest);
      rest = rest.subarray(written);
      if (rest.length > 0 && performance.now() > until) {
        throw new NacreError('input_full', { id, waiting: rest.length, seconds: PATIENCE_MS / 1000 });
      }
      if (written === 0) await pause(10);
    }
  } finally {
    closeSync(fd);
  }
}

/** The end of the input; what was sent before is read first. */
export async function endInput(place: InputPlace): Promise<void> {
  await findPipe(place);
  process.kill(readListener(place.directory), 'SIGUSR2');
}

/** The same for a run that another program started, or one that is gone. */
export async function sendToRun(run: StoredRun, bytes: string | Buffer): Promise<void> {
  requireRunning(run);
  await sendInput(run, bytes);
}

/** The same for a run that another program started, or one that is gone. */
export async function endInputOfRun(run: StoredRun): Promise<void> {
  requireRunning(run);
  await endInput(run);
}

function requireRunning({ id, state }: StoredRun): void {
  if (state.kind !== 'running') throw new NacreError('input_closed', { id, reason: 'it has ended' });
}

/** Where the pipe can be opened. The listener begins a moment after the command, so an early caller looks again. */
async function findPipe({ id, directory }: InputPlace): Promise<string> {
  for (let look = 0; look < LISTENER_LOOKS; look++) {
    const listener = readListener(directory);
    const path = `/proc/${listener}/fd/${INPUT_FD}`;
    if (isPipe(path)) return path;
    // A file that is still empty is being written.
    if (listener > 0) break;
    await pause(5);
  }
  throw new NacreError('input_closed', {
    id,
    reason: 'it was started without an open input, or its end was sent',
  });
}

/** 0 when there is none. */
function readListener(directory: string): number {
  try {
    return Number(readFileSync(join(directory, RUN_FILES.listener), 'latin1'));
  } catch {
    return 0;
  }
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}
