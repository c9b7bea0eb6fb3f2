import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CallStatus } from '../result.ts';
import { CURRENT, logDirectory, olderFiles } from './journal.ts';
import type { EndLine, LogLine, RefusedLine, StartLine } from './log-line.ts';

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
    const { size, mtimeMs, ino } = statSync(join(logDirectory(stateDirectory), CURRENT));
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return '';
  }
}

/** The newest commands of the log, oldest first. What cannot be read as a line of ours is passed over. */
export function readLog({ stateDirectory, limit, session }: LogQuery): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  const ends = new Map<string, EndLine>();
  for (const line of newestFirst(logDirectory(stateDirectory))) {
    if (entries.length >= limit) break;
    if (session !== null && line.session !== session) continue;
    if (line.event === 'end') ends.set(line.runId, line);
    else entries.push(toEntry(line, ends));
  }
  return entries.reverse();
}

function* newestFirst(directory: string): Generator<LogLine> {
  for (const file of filesOf(directory)) yield* linesOf(join(directory, file)).reverse();
}

function filesOf(directory: string): readonly string[] {
  try {
    return [CURRENT, ...olderFiles(directory)];
  } catch {
    return [];
  }
}

function linesOf(path: string): LogLine[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseLine);
  } catch {
    return [];
  }
}

function parseLine(text: string): LogLine[] {
  try {
    const line: unknown = JSON.parse(text);
    const isOurs = typeof line === 'object' && line !== null && 'event' in line && 'session' in line;
    return isOurs ? [line as LogLine] : [];
  } catch {
    return [];
  }
}

function toEntry(line: StartLine | RefusedLine, ends: ReadonlyMap<string, EndLine>): LogEntry {
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
