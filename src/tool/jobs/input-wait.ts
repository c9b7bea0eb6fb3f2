import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { listSegments, type StreamLocation } from '../../engine/output/raw/output-segments.ts';
import type { ProcessStat } from '../../engine/process/proc-reader.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import { processTreeOf } from '../../engine/run/stop-run.ts';
import { LineReader } from '../../engine/text/line-reader.ts';
import { findInputWait, type InputWait } from '../../engine/watch/input-wait.ts';
import type { WaitingForInput } from '../contract/result.ts';
import { hasLiveProcesses, toJobInfo } from './job-info.ts';
import { terminalSizeOf } from './terminal-screen.ts';

/** The one of a run's processes that waits for input, if any does. */
export function findRunInputWait(
  run: StoredRun,
  members: readonly ProcessStat[] = findRunMembers(run),
): InputWait | null {
  const lastLine = (): string => readLastLine({ directory: run.directory, stream: 'out' });
  // Who makes the terminal waits for what is typed, whatever the command does.
  const watched = terminalSizeOf(run.asked) === null ? members : members.filter(({ pid }) => pid !== run.pid);
  return findInputWait(watched, { lastLine, isEchoOff: isEchoDisabled });
}

/** Whether a run waits for input at this moment, as a result says it. */
export function toWaitingForInput(run: StoredRun, members?: readonly ProcessStat[]): WaitingForInput | null {
  const found = findRunInputWait(run, members);
  if (found === null) return null;
  const { pid, command, lastLine, echoOff } = found;
  return { pid, command, lastLine: lastLine.trimEnd(), echoOff, canSend: toJobInfo(run).takesInput };
}

/** Everybody of a run who is alive now, whoever started it. */
export function findRunMembers(run: StoredRun): readonly ProcessStat[] {
  return hasLiveProcesses(run) ? (processTreeOf(run)?.members() ?? []) : [];
}

/** No prompt is longer, and no table has room for more. */
const LAST_LINE_BYTES = 4096;

/** What was printed last, with its newline if it has one; lines of nothing but blanks are passed over. */
export function readLastLine(place: StreamLocation): string {
  let last = '';
  const reader = new LineReader({
    hold: LAST_LINE_BYTES,
    onLine: ({ text, ended }) => {
      if (text.trim() !== '') last = ended ? `${text}\n` : text;
    },
  });
  reader.write(readOutputTail(place));
  reader.end();
  return last;
}

function readOutputTail(place: StreamLocation): Buffer {
  const piece = listSegments(place).at(-1);
  if (piece === undefined) return Buffer.alloc(0);
  const size = piece.to - piece.from;
  const bytes = Buffer.alloc(Math.min(size, LAST_LINE_BYTES));
  let fd: number | undefined;
  try {
    fd = openSync(piece.path, 'r');
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const STTY_TIMEOUT_MS = 500;

/**
 * Whether a terminal does not show what is typed on it, as for a password. A program that reads key by key hides them
 * too, but draws them itself: that is no secret.
 */
export function isEchoDisabled(terminal: string | null): boolean {
  if (terminal === null) return false;
  const { stdout } = spawnSync('stty', ['-F', terminal, '-a'], {
    encoding: 'utf8',
    timeout: STTY_TIMEOUT_MS,
  });
  return /(^|\s)-echo(\s|$)/m.test(stdout ?? '') && /(^|\s)icanon(\s|$)/m.test(stdout ?? '');
}
