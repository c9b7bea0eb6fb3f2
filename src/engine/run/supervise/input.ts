import { closeSync, constants, openSync, readlinkSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { NacreError } from '../../../errors.ts';
import type { StoredRun } from '../record/store.ts';

/** How long a command may leave its input unread before sending gives up. */
const PATIENCE_MS = 5_000;

/** Where the supervisor holds the pipe of an input that was left open. */
const INPUT_FD = 4;

/** Whose input: the supervisor holds it, so it can be reached after the caller has been restarted, too. */
export interface InputPlace {
  readonly id: string;
  readonly supervisor: number;
}

/** Writes all of it, waiting while the pipe is full. */
export async function sendInput({ id, supervisor }: InputPlace, bytes: string | Buffer): Promise<void> {
  const fd = openInput(id, supervisor);
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
export function endInput(supervisor: number): void {
  try {
    process.kill(supervisor, 'SIGUSR2');
  } catch {
    // Already gone, and the input with it.
  }
}

/** The same for a run that another program started, or one that is gone. */
export async function sendToRun(run: StoredRun, bytes: string | Buffer): Promise<void> {
  await sendInput({ id: run.id, supervisor: requireRunning(run) }, bytes);
}

/** The same for a run that another program started, or one that is gone. */
export function endInputOfRun(run: StoredRun): void {
  const supervisor = requireRunning(run);
  requirePipe(run.id, supervisor);
  endInput(supervisor);
}

function requireRunning({ id, state, supervisor }: StoredRun): number {
  if (state.kind === 'running' && supervisor !== null) return supervisor;
  throw new NacreError('input_closed', { id, reason: 'it has ended' });
}

function openInput(id: string, supervisor: number): number {
  requirePipe(id, supervisor);
  return openSync(`/proc/${supervisor}/fd/${INPUT_FD}`, constants.O_WRONLY | constants.O_NONBLOCK);
}

/** Without an open input the supervisor has nothing there, or something else. */
function requirePipe(id: string, supervisor: number): void {
  const link = readLink(`/proc/${supervisor}/fd/${INPUT_FD}`);
  if (link.startsWith('pipe:')) return;
  throw new NacreError('input_closed', {
    id,
    reason: 'it was started without an open input, or its end was sent',
  });
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function writeNow(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
