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

/** Finds the process of a run that is blocked on reading input, or returns `null`. */
export function findRunInputWait(
  run: StoredRun,
  members: readonly ProcessStat[] = findRunMembers(run),
): InputWait | null {
  const lastLine = (): string => readLastLine({ directory: run.directory, stream: 'out' });
  // The process that creates the terminal always reads from it, so it does not count.
  const watched = terminalSizeOf(run.asked) === null ? members : members.filter(({ pid }) => pid !== run.pid);
  return findInputWait(watched, { lastLine, isEchoOff: isEchoDisabled });
}

/** Describes the input wait of a run for a call result, or returns `null` when the run is not waiting. */
export function toWaitingForInput(run: StoredRun, members?: readonly ProcessStat[]): WaitingForInput | null {
  const found = findRunInputWait(run, members);
  if (found === null) return null;
  const { pid, command, lastLine, echoOff } = found;
  return { pid, command, lastLine: lastLine.trimEnd(), echoOff, canSend: toJobInfo(run).takesInput };
}

/** Lists the live processes of a run, including runs started by another program. */
export function findRunMembers(run: StoredRun): readonly ProcessStat[] {
  return hasLiveProcesses(run) ? (processTreeOf(run)?.members() ?? []) : [];
}

/** Longer than any prompt. */
const LAST_LINE_BYTES = 4096;

/** Reads the last line of an output that is not blank, with its newline if it has one. */
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
 * Whether a terminal hides typed text, as for a password. In raw mode (no `icanon`) the program echoes keys
 * itself, so that does not count.
 */
export function isEchoDisabled(terminal: string | null): boolean {
  if (terminal === null) return false;
  const { stdout } = spawnSync('stty', ['-F', terminal, '-a'], {
    encoding: 'utf8',
    timeout: STTY_TIMEOUT_MS,
  });
  return /(^|\s)-echo(\s|$)/m.test(stdout ?? '') && /(^|\s)icanon(\s|$)/m.test(stdout ?? '');
}
