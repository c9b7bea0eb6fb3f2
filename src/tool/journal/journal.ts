import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import { requireStateVersion } from '../../engine/run/state-version.ts';
import type { ErrorCode } from '../../errors.ts';
import type { CallStatus } from '../contract/result.ts';

/**
 * One line of the log. A run has a start line and, when its end was seen, an end line; a refused call has one
 * line.
 */
type LogLine = StartLogLine | EndLogLine | RefusedLogLine;

interface LogLineBase {
  readonly time: string;
  readonly session: string;
}

/** Fields of a logged call. */
interface LoggedCall {
  readonly profile: string;
  readonly host: string;
  /** With secrets masked; `null` when the call had no command. */
  readonly command: string | null;
  readonly cwd: string;
}

/** Log line of a run that started. */
export interface StartLogLine extends LogLineBase, LoggedCall {
  readonly event: 'start';
  readonly runId: string;
  readonly verdict: 'allow';
  readonly background: boolean;
}

interface EndLogLine extends LogLineBase {
  readonly event: 'end';
  readonly runId: string;
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** `null` for a job, whose output is not counted. */
  readonly outputBytes: number | null;
}

interface RefusedLogLine extends LogLineBase, LoggedCall {
  readonly event: 'refused';
  readonly verdict: 'deny' | 'invalid';
  readonly error: ErrorCode;
}

/** Log file that lines are appended to; names of rotated files contain the rotation time. */
const CURRENT_LOG_FILE = 'current.jsonl';

/** Size limits of the log. */
interface JournalLimits {
  readonly maxFileBytes: number;
  /** Number of rotated files. */
  readonly maxFiles: number;
}

/** The start and end lines of a short call share one open file. */
const KEEP_OPEN_MS = 50;

const DEFAULT_JOURNAL_LIMITS: JournalLimits = { maxFileBytes: 8 * 1024 * 1024, maxFiles: 8 };

interface OpenLogFile {
  readonly fd: number;
  readonly timer: NodeJS.Timeout;
  size: number;
}

/** Returns the log directory of a state directory. */
function logDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'log');
}

/**
 * Append-only log of all commands.
 *
 * Each line is one write in append mode, so lines of several programs do not mix. A line written to a file that
 * another program has just rotated is still part of the log.
 */
export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  #file: OpenLogFile | null = null;

  constructor(stateDirectory: string, limits: JournalLimits = DEFAULT_JOURNAL_LIMITS) {
    this.#directory = logDirectory(stateDirectory);
    this.#limits = limits;
  }

  /**
   * Appends a line. Returns an error message instead of throwing, because a broken log must not stop commands.
   */
  write(line: LogLine): string | null {
    try {
      this.#file ??= this.#openFile();
      this.#file.size += writeSync(this.#file.fd, `${JSON.stringify(line)}\n`);
      if (this.#file.size > this.#limits.maxFileBytes) this.#rotate(line.time);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #openFile(): OpenLogFile {
    const fd = this.#openForAppend();
    const timer = setTimeout(() => this.#closeFile(), KEEP_OPEN_MS).unref();
    return { fd, timer, size: fstatSync(fd).size };
  }

  #closeFile(): void {
    if (this.#file === null) return;
    const { fd, timer } = this.#file;
    this.#file = null;
    clearTimeout(timer);
    closeSync(fd);
  }

  #openForAppend(): number {
    const path = join(this.#directory, CURRENT_LOG_FILE);
    try {
      return openSync(path, 'a', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makePrivateDirectory(this.#directory);
      return openSync(path, 'a', 0o600);
    }
  }

  #rotate(time: string): void {
    this.#closeFile();
    // The pid keeps two programs that rotate at the same time from overwriting each other's file.
    const name = `${time.replaceAll(/[:.]/g, '-')}-${process.pid}.jsonl`;
    renameSync(join(this.#directory, CURRENT_LOG_FILE), join(this.#directory, name));
    for (const old of listRotatedLogs(this.#directory).slice(this.#limits.maxFiles)) {
      rmSync(join(this.#directory, old), { force: true });
    }
  }
}

/** Lists rotated log files, newest first. */
function listRotatedLogs(directory: string): readonly string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.jsonl') && name !== CURRENT_LOG_FILE);
  return names.sort().reverse();
}

/** One logged command with its exit status, if known. */
export interface LogEntry {
  readonly time: string;
  readonly session: string;
  readonly profile: string;
  readonly host: string;
  readonly command: string | null;
  readonly cwd: string;
  readonly verdict: 'allow' | 'deny' | 'invalid';
  readonly error: string | null;
  readonly runId: string | null;
  readonly background: boolean;
  /** `null` until the end was logged. */
  readonly status: CallStatus | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number | null;
  readonly outputBytes: number | null;
}

/** Options of `readLog`. */
export interface LogQuery {
  readonly stateDirectory: string;
  /** Maximum number of entries; the newest are returned. */
  readonly limit: number;
  /** `null` selects all sessions. */
  readonly session: string | null;
}

/** Returns a value that changes whenever the log changes. */
export function stampOfLog(stateDirectory: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(join(logDirectory(stateDirectory), CURRENT_LOG_FILE));
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return '';
  }
}

/** Reads the newest entries of the log, oldest first. Invalid lines are skipped. */
export function readLog({ stateDirectory, limit, session }: LogQuery): readonly LogEntry[] {
  requireStateVersion(stateDirectory);
  const entries: LogEntry[] = [];
  const ends = new Map<string, EndLogLine>();
  for (const line of readLinesNewestFirst(logDirectory(stateDirectory))) {
    if (entries.length >= limit) break;
    if (session !== null && line.session !== session) continue;
    if (line.event === 'end') ends.set(line.runId, line);
    else entries.push(toLogEntry(line, ends));
  }
  return entries.reverse();
}

function* readLinesNewestFirst(directory: string): Generator<LogLine> {
  for (const file of listLogFiles(directory)) yield* readLogLines(join(directory, file)).reverse();
}

function listLogFiles(directory: string): readonly string[] {
  try {
    return [CURRENT_LOG_FILE, ...listRotatedLogs(directory)];
  } catch {
    return [];
  }
}

function readLogLines(path: string): LogLine[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseLogLine);
  } catch {
    return [];
  }
}

function parseLogLine(text: string): LogLine[] {
  try {
    const line: unknown = JSON.parse(text);
    const isOurs = typeof line === 'object' && line !== null && 'event' in line && 'session' in line;
    return isOurs ? [line as LogLine] : [];
  } catch {
    return [];
  }
}

function toLogEntry(line: StartLogLine | RefusedLogLine, ends: ReadonlyMap<string, EndLogLine>): LogEntry {
  const end = line.event === 'start' ? ends.get(line.runId) : undefined;
  return {
    time: line.time,
    session: line.session,
    profile: line.profile,
    host: line.host,
    command: line.command,
    cwd: line.cwd,
    verdict: line.verdict,
    error: line.event === 'refused' ? line.error : null,
    runId: line.event === 'start' ? line.runId : null,
    background: line.event === 'start' && line.background,
    status: line.event === 'refused' ? 'refused' : (end?.status ?? null),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    durationMs: end?.durationMs ?? null,
    outputBytes: end?.outputBytes ?? null,
  };
}
