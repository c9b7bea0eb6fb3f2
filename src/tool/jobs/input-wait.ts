import { spawnSync } from 'node:child_process';
import { listSegments, type StreamLocation } from '../../engine/output/raw/output-segments.ts';
import type { ProcessStat } from '../../engine/process/proc-reader.ts';
import type { RunStore, StoredRun } from '../../engine/run/run-store.ts';
import { processTreeOf } from '../../engine/run/stop-run.ts';
import { LineReader } from '../../engine/text/line-reader.ts';
import { findInputWait, type InputWait, isSameInputWait } from '../../engine/watch/input-wait.ts';
import type { WaitingForInput } from '../contract/result.ts';
import { hasLiveProcesses, toJobInfo } from './job-info.ts';
import { readFileAt, terminalSizeOf } from './terminal-screen.ts';

/** Finds the process of a run that is blocked on reading input, or returns `null`. */
function findRunInputWait(
  run: StoredRun,
  members: readonly ProcessStat[] = findRunMembers(run),
): InputWait | null {
  const lastLine = (): string => readLastLine({ directory: run.directory, stream: 'out' });
  // The process that creates the terminal always reads from it, so it does not count.
  const watched = terminalSizeOf(run.asked) === null ? members : members.filter(({ pid }) => pid !== run.pid);
  return findInputWait(watched, { lastLine, isEchoOff: isEchoDisabled });
}

/** Interval of the checks. A program that is only slow to read is not blocked in the same read for this long. */
const INPUT_POLL_MS = 250;

/** Runs to watch for input waits. */
interface InputWatchRequest {
  readonly ids: readonly string[];
  readonly store: RunStore;
  readonly onWait: () => void;
  /** Ends the checks. */
  readonly signal: AbortSignal;
}

/** Calls back whenever one of the runs was blocked on the same read in two consecutive checks. */
export function watchForInput({ ids, store, onWait, signal }: InputWatchRequest): void {
  if (signal.aborted || ids.length === 0) return;
  const earlier = new Map<string, InputWait | null>();
  const timer = setInterval(() => {
    for (const id of ids) {
      const run = store.find(id);
      const before = earlier.get(id) ?? null;
      const found = run === null ? null : findRunInputWait(run);
      earlier.set(id, found);
      if (found !== null && before !== null && isSameInputWait(before, found)) onWait();
    }
  }, INPUT_POLL_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Describes the input wait of a run for a call result, or returns `null` when the run is not waiting. */
export function toWaitingForInput(run: StoredRun, members?: readonly ProcessStat[]): WaitingForInput | null {
  const found = findRunInputWait(run, members);
  if (found === null) return null;
  const { pid, command, lastLine, echoOff } = found;
  return { pid, command, lastLine: lastLine.trimEnd(), echoOff, canSend: toJobInfo(run).takesInput };
}

/** Lists the live processes of a run, including runs started by another program. */
function findRunMembers(run: StoredRun): readonly ProcessStat[] {
  return hasLiveProcesses(run) ? (processTreeOf(run)?.members() ?? []) : [];
}

/** Longer than any prompt. */
const LAST_LINE_BYTES = 4096;

/** Reads the last line of an output that is not blank, with its newline if it has one. */
export function readLastLine(location: StreamLocation): string {
  let last = '';
  const reader = new LineReader({
    edgeCharacters: LAST_LINE_BYTES,
    onLine: ({ text, ended }) => {
      if (text.trim() !== '') last = ended ? `${text}\n` : text;
    },
  });
  reader.write(readOutputTail(location));
  reader.end();
  return last;
}

function readOutputTail(location: StreamLocation): Buffer {
  const segment = listSegments(location).at(-1);
  if (segment === undefined) return Buffer.alloc(0);
  const size = segment.to - segment.from;
  const buffer = Buffer.alloc(Math.min(size, LAST_LINE_BYTES));
  return buffer.subarray(0, readFileAt(segment.path, { position: size - buffer.length, buffer }));
}

const STTY_TIMEOUT_MS = 500;

/**
 * Whether a terminal hides typed text, as for a password. In raw mode (no `icanon`) the program echoes keys
 * itself, so that does not count.
 */
function isEchoDisabled(terminal: string | null): boolean {
  if (terminal === null) return false;
  const { stdout } = spawnSync('stty', ['-F', terminal, '-a'], {
    encoding: 'utf8',
    timeout: STTY_TIMEOUT_MS,
  });
  return /(^|\s)-echo(\s|$)/m.test(stdout ?? '') && /(^|\s)icanon(\s|$)/m.test(stdout ?? '');
}
