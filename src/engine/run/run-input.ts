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

/** How long a command may leave its input unread before sending fails. */
const SEND_TIMEOUT_MS = 5_000;

/** Polls for a listener that is just being started. */
const MAX_LISTENER_CHECKS = 100;

/** The listener's descriptor of an open input. */
const INPUT_FD = 4;

/**
 * A run whose input is open. The supervisor holds it, so it can be written to after a restart of the caller.
 */
export interface InputTarget {
  readonly id: string;
  readonly directory: string;
}

/** Writes all bytes, waiting while the pipe is full. */
export async function sendInput(target: InputTarget, bytes: string | Buffer): Promise<void> {
  const { id } = target;
  const listener = await findInputListener(target);
  const fd = openSync(inputPipePath(listener), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    // Checked after opening: the pipe may belong to a process that has the pid by now.
    if (!isProcessAlive(listener)) throw inputClosed(target);
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

/** Closes the input; the command reads what was sent before. */
export async function endInput(target: InputTarget): Promise<void> {
  signalProcess(await findInputListener(target), 'SIGUSR2');
}

/** Like {@link sendInput}, for a run of any program. */
export async function sendInputToRun(run: StoredRun, bytes: string | Buffer): Promise<void> {
  requireRunning(run);
  await sendInput(run, bytes);
}

/** Like {@link endInput}, for a run of any program. */
export async function endInputOfRun(run: StoredRun): Promise<void> {
  requireRunning(run);
  await endInput(run);
}

function requireRunning({ id, state }: StoredRun): void {
  if (state.kind !== 'running') throw new NacreError('input_closed', { id, reason: 'it has ended' });
}

/** The process that holds the pipe. It starts shortly after the command, so the search is repeated. */
async function findInputListener(target: InputTarget): Promise<RecordedProcess> {
  for (let check = 0; check < MAX_LISTENER_CHECKS; check++) {
    const listener = readListener(target.directory);
    if (listener !== null) {
      if (isPipe(inputPipePath(listener)) && isProcessAlive(listener)) return listener;
      break;
    }
    await pause(5);
  }
  throw inputClosed(target);
}

function inputClosed({ id }: InputTarget): NacreError {
  const reason = 'it was started without an open input, or its end was sent';
  return new NacreError('input_closed', { id, reason });
}

function inputPipePath({ pid }: RecordedProcess): string {
  return `/proc/${pid}/fd/${INPUT_FD}`;
}

/** `null` when the file is missing or incomplete. */
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
