import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NacreError } from '../../errors.ts';
import { isProcessAlive } from '../process/process-identity.ts';
import { signalProcess } from '../process/process-tree.ts';
import { writeNonBlocking } from './pipe-io.ts';
import { RUN_FILES } from './run-files.ts';
import type { RecordedProcess } from './run-state.ts';
import type { StoredRun } from './run-store.ts';

/** How long a command may leave its input unread before sending gives up. */
const SEND_TIMEOUT_MS = 5_000;

/** How often we look for a listener that has only just been started. */
const MAX_LISTENER_CHECKS = 100;

/** Where the supervisor's listener holds the pipe of an input that was left open. */
const INPUT_FD = 4;

/** Whose input. It is not the caller who holds it, so it can be reached after the caller has been restarted, too. */
export interface InputTarget {
  readonly id: string;
  readonly directory: string;
}

/** Writes all of it, waiting while the pipe is full. */
export async function sendInput(place: InputTarget, bytes: string | Buffer): Promise<void> {
  const { id } = place;
  const listener = await findInputListener(place);
  const fd = openSync(inputPipePath(listener), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    // Asked after the opening: the pipe may be that of a process which took over the number.
    if (!isProcessAlive(listener)) throw inputClosed(place);
    let rest = Buffer.from(bytes);
    const until = performance.now() + SEND_TIMEOUT_MS;
    while (rest.length > 0) {
      const written = writeNonBlocking(fd, rest);
      rest = rest.subarray(written);
      if (rest.length > 0 && performance.now() > until) {
        throw new NacreError('input_full', { id, waiting: rest.length, seconds: SEND_TIMEOUT_MS / 1000 });
      }
      if (written === 0) await pause(10);
    }
  } finally {
    closeSync(fd);
  }
}

/** The end of the input; what was sent before is read first. */
export async function endInput(place: InputTarget): Promise<void> {
  signalProcess(await findInputListener(place), 'SIGUSR2');
}

/** The same for a run that another program started, or one that is gone. */
export async function sendInputToRun(run: StoredRun, bytes: string | Buffer): Promise<void> {
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
async function findInputListener(place: InputTarget): Promise<RecordedProcess> {
  for (let look = 0; look < MAX_LISTENER_CHECKS; look++) {
    const listener = readListener(place.directory);
    if (listener !== null) {
      if (isPipe(inputPipePath(listener)) && isProcessAlive(listener)) return listener;
      break;
    }
    await pause(5);
  }
  throw inputClosed(place);
}

function inputClosed({ id }: InputTarget): NacreError {
  const reason = 'it was started without an open input, or its end was sent';
  return new NacreError('input_closed', { id, reason });
}

function inputPipePath({ pid }: RecordedProcess): string {
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
