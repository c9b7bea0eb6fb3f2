import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NacreError } from '../../../errors.ts';
import { RUN_FILES } from '../files.ts';
import { isAlive, type RecordedProcess } from '../record/judge.ts';
import type { StoredRun } from '../record/store.ts';
import { ProcReader } from '../tree/proc.ts';
import { signalProcess } from '../tree/tree.ts';
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
  const listener = await findListener(place);
  const fd = openSync(pipeOf(listener), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    // Asked after the opening: the pipe may be that of a process which took over the number.
    if (!isAlive(listener, new ProcReader())) throw inputClosed(place);
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
  signalProcess(await findListener(place), 'SIGUSR2');
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

/** The process that holds the pipe. It begins a moment after the command, so an early caller looks again. */
async function findListener(place: InputPlace): Promise<RecordedProcess> {
  const proc = new ProcReader();
  for (let look = 0; look < LISTENER_LOOKS; look++) {
    const listener = readListener(place.directory);
    if (listener !== null) {
      if (isPipe(pipeOf(listener)) && isAlive(listener, proc)) return listener;
      break;
    }
    await pause(5);
  }
  throw inputClosed(place);
}

function inputClosed({ id }: InputPlace): NacreError {
  const reason = 'it was started without an open input, or its end was sent';
  return new NacreError('input_closed', { id, reason });
}

function pipeOf({ pid }: RecordedProcess): string {
  return `/proc/${pid}/fd/${INPUT_FD}`;
}

/** `null` when there is no file, or one that is still being written. */
function readListener(directory: string): RecordedProcess | null {
  try {
    const text = readFileSync(join(directory, RUN_FILES.listener), 'latin1');
    const [pid = 0, startTime = 0] = text.split(' ').map(Number);
    return pid > 1 ? { pid, startTime } : null;
  } catch {
    return null;
  }
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}
