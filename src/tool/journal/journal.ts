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
import type { ErrorCode } from '../../errors.ts';
import type { CallStatus } from '../contract/result.ts';

/** One line of the log. A run has a line when it starts and one when its end was seen; a refusal has one. */
export type LogLine = StartLogLine | EndLogLine | RefusedLogLine;

interface LogLineBase {
  /** ISO 8601. */
  readonly time: string;
  readonly session: string;
}

/** What a call wanted. */
export interface LoggedCall {
  readonly profile: string;
  readonly host: string;
  /** Masked; `null` when the call had none. */
  readonly command: string | null;
  readonly cwd: string;
}

export interface StartLogLine extends LogLineBase, LoggedCall {
  readonly event: 'start';
  readonly runId: string;
  readonly verdict: 'allow';
  readonly background: boolean;
}

export interface EndLogLine extends LogLineBase {
  readonly event: 'end';
  readonly runId: string;
  readonly status: CallStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** `null` for a job: nobody counted. */
  readonly outputBytes: number | null;
}

export interface RefusedLogLine extends LogLineBase, LoggedCall {
  readonly event: 'refused';
  readonly verdict: 'deny' | 'invalid';
  readonly error: ErrorCode;
}

/** The file that is written to; older ones have the time of their end in their names. */
export const CURRENT_LOG_FILE = 'current.jsonl';

/** Limits of the log on disk. */
export interface JournalLimits {
  readonly maxFileBytes: number;
  /** Older files beside the current one. */
  readonly maxFiles: number;
}

/** How long the file is held open. */
const KEEP_OPEN_MS = 50;

const DEFAULT_JOURNAL_LIMITS: JournalLimits = { maxFileBytes: 8 * 1024 * 1024, maxFiles: 8 };

/** The file while it is open. */
interface OpenLogFile {
  readonly fd: number;
  readonly timer: NodeJS.Timeout;
  size: number;
}

/** Where the log of a state directory is. */
export function logDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'log');
}

/**
 * The append-only log of every command.
 *
 * Each line is one write to a file opened for appending, so the lines of several programs do not mix. It is held open for
 * a moment: a call that is over by then writes two lines. What is written to a file that another program has put aside
 * meanwhile is in the log all the same.
 */
export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  #file: OpenLogFile | null = null;

  constructor(stateDirectory: string, limits: JournalLimits = DEFAULT_JOURNAL_LIMITS) {
    this.#directory = logDirectory(stateDirectory);
    this.#limits = limits;
  }

  /** Gives back what went wrong, if anything did: a log that cannot be written stops no command. */
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
    // Two programs may come here at once: with a name of its own neither overwrites the other's.
    const name = `${time.replaceAll(/[:.]/g, '-')}-${process.pid}.jsonl`;
    renameSync(join(this.#directory, CURRENT_LOG_FILE), join(this.#directory, name));
    for (const old of listRotatedLogs(this.#directory).slice(this.#limits.maxFiles)) {
      rmSync(join(this.#directory, old), { force: true });
    }
  }
}

/** Files that were put aside, newest first. */
export function listRotatedLogs(directory: string): readonly string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.jsonl') && name !== CURRENT_LOG_FILE);
  return names.sort().reverse();
}

/** One command of the log, with its end if that was seen. */
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
  /** `null` while nobody has seen the end. */
  readonly status: CallStatus | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number | null;
  readonly outputBytes: number | null;
}

/** Which part of the log is wanted. */
export interface LogQuery {
  readonly stateDirectory: string;
  /** The newest so many. */
  readonly limit: number;
  /** Only of this session; `null` for all. */
  readonly session: string | null;
}

/** What there is to read has changed when this has; it costs next to nothing to ask. */
export function stampOfLog(stateDirectory: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(join(logDirectory(stateDirectory), CURRENT_LOG_FILE));
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return '';
  }
}

/** The newest commands of the log, oldest first. What cannot be read as a line of ours is passed over. */
export function readLog({ stateDirectory, limit, session }: LogQuery): readonly LogEntry[] {
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
  const { time, session, profile, host, command, cwd, verdict } = line;
  return {
    ...{ time, session, profile, host, command, cwd, verdict },
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
