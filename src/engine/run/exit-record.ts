import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { RUN_FILES } from './run-files.ts';
import type { Ending, StopReason } from './run-request.ts';

/**
 * Fixed size: the exit record overwrites the initial content in place, which needs no free block on the disk.
 */
const RECORD_WIDTH = 250;

const STOP_REASONS: readonly string[] = [
  'timeout',
  'abort',
  'kill',
  'shutdown',
  'output_limit',
] satisfies StopReason[];

const FAILURES: Readonly<Record<string, string>> = {
  cwd: 'the working directory could not be entered',
  exec: 'the shell could not be started',
  never: 'its caller was killed before the command began',
  place: 'the place it ran in ended before it did',
  status: 'it is over, but bash lost its exit status',
  terminal: 'PTY error: no terminal could be made',
};

/** The content of the exit record file after a run has ended. */
export interface ExitRecord {
  readonly ending: Ending;
  /** Seconds since 1970, by the supervisor's clock. */
  readonly endedAt: number;
  /**
   * The caller died while it read the output: at most one buffer that it had read and not written is missing.
   */
  readonly callerGone: boolean;
  /** Pid of the supervisor's listener; only in the line that the supervisor sends, not in the file. */
  readonly listener: number | null;
}

/** Renders the whole file, padded; readers accept it only with its last character. */
export function renderExitRecord(line: string): string {
  return `${line.padEnd(RECORD_WIDTH)}.\n`;
}

/** Parses the file; `null` while the run is running, and for an incomplete file. */
export function parseExitRecordFile(text: string): ExitRecord | null {
  if (text.length < RECORD_WIDTH + 1 || text[RECORD_WIDTH] !== '.') return null;
  return parseExitRecordLine(text.slice(0, RECORD_WIDTH).trimEnd());
}

/** Parses `<how> <number> <why> <forced> <time> <note>`, as the supervisor writes it. */
export function parseExitRecordLine(line: string): ExitRecord | null {
  const [how, value, why, forced, time, note, listener] = line.split(' ');
  if (time === undefined || how === undefined || value === undefined) return null;
  return {
    ending: toEnding({ how, value, why, forced }),
    endedAt: Number(time),
    callerGone: note === 'caller_gone',
    listener: listener === undefined ? null : Number(listener),
  };
}

/** Renders an exit record with a stop reason that only the caller knows. */
export function renderStoppedLine(
  line: string,
  { reason, forced }: { reason: StopReason; forced: boolean },
): string {
  const [how, value, , , time, note] = line.split(' ');
  return [how, value, reason, forced ? 1 : 0, time, note].join(' ');
}

interface ExitRecordParts {
  readonly how: string;
  readonly value: string;
  readonly why: string | undefined;
  readonly forced: string | undefined;
}

function toEnding({ how, value, why, forced }: ExitRecordParts): Ending {
  if (how === 'lost') return { kind: 'lost', why: 'its end was not seen' };
  if (why !== undefined && STOP_REASONS.includes(why)) {
    return { kind: 'stopped', reason: why as StopReason, forced: forced === '1' };
  }
  if (how === 'failed') return { kind: 'lost', why: FAILURES[value] ?? value };
  if (how === 'exited') return { kind: 'exited', exitCode: Number(value) };
  return { kind: 'signaled', signal: toSignalName(Number(value)), number: Number(value) };
}

/** `SIGKILL` for 9; a number without a name on this system stays a number. */
export function toSignalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found === undefined ? `SIG${number}` : found[0];
}

/**
 * The statuses of a run's last pipeline; `null` when they were not requested, or the command set its own EXIT
 * trap.
 */
export function readPipeStatus(directory: string): number[] | null {
  try {
    const text = readFileSync(join(directory, RUN_FILES.pipeStatus), 'latin1').trim();
    return text.split(' ').map(Number);
  } catch {
    return null;
  }
}
