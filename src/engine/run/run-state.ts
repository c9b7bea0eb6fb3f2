import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasExited, type ProcReader } from '../process/proc-reader.ts';
import { type ExitRecord, parseExitRecordFile } from './exit-record.ts';
import { RUN_FILES, toRunTime } from './run-files.ts';
import type { Ending } from './run-request.ts';

/** A process on record: its number means nothing without its start time. */
export interface RecordedProcess {
  readonly pid: number;
  readonly startTime: number;
}

/** Who ran it, as the supervisor wrote it. */
export interface RunProcesses {
  readonly supervisor: RecordedProcess;
  readonly command: RecordedProcess;
  readonly bootId: string;
}

/** What has become of a run, judged by what its directory says and who is alive. */
export type RunState = { readonly kind: 'running' } | EndedRunState;

export interface EndedRunState {
  readonly kind: 'ended';
  readonly ending: Ending;
  readonly endedAt: number;
  /** Who stayed behind and is still alive. */
  readonly leftoverPids: readonly number[];
  /** Somebody had waited for it, and died before it ended. */
  readonly callerGone: boolean;
}

/** A supervisor that wrote nothing within this time never began. */
const START_TIMEOUT_MS = 10_000;

/** Nothing is ever run again from a record: a run whose end nobody saw is lost, and says why. */
export function readRunState(
  directory: string,
  { id, bootId, proc }: { id: string; bootId: string; proc: ProcReader },
): RunState {
  const record = parseExitRecordFile(readRunFile(directory, RUN_FILES.exitRecord));
  const who = readRunProcesses(directory);
  if (record !== null) return toEnded(record, { directory, proc, isThisBoot: who?.bootId === bootId });
  if (who === null) {
    if (Date.now() - toRunTime(id) < START_TIMEOUT_MS) return { kind: 'running' };
    return lostRunState('it never began', id);
  }
  if (who.bootId !== bootId) return lostRunState('the machine was restarted', id);
  // A command may outlive a supervisor that somebody killed.
  if (isRecordedProcessAlive(who.supervisor, proc) || isRecordedProcessAlive(who.command, proc))
    return { kind: 'running' };
  return lostRunState('its supervisor was killed', id);
}

/** `null` when the file is not there, or not whole. */
export function readRunProcesses(directory: string): RunProcesses | null {
  const lines = new Map(
    readRunFile(directory, RUN_FILES.processes)
      .split('\n')
      .map((line) => [line.split(' ')[0], line.split(' ').slice(1)]),
  );
  const supervisor = toProcess(lines.get('supervisor'));
  const command = toProcess(lines.get('command'));
  const bootId = lines.get('boot')?.[0];
  if (supervisor === null || command === null || bootId === undefined) return null;
  return { supervisor, command, bootId };
}

/** The same process, still there? */
export function isRecordedProcessAlive({ pid, startTime }: RecordedProcess, proc: ProcReader): boolean {
  const stat = proc.stat(pid);
  return !hasExited(stat) && stat?.startTime === startTime;
}

function toEnded(
  record: ExitRecord,
  look: { directory: string; proc: ProcReader; isThisBoot: boolean },
): RunState {
  const pids = look.isThisBoot
    ? readRunFile(look.directory, RUN_FILES.leftoverPids).split('\n').filter(Boolean).map(Number)
    : [];
  return toEndedRunState(
    record,
    pids.filter((pid) => !hasExited(look.proc.stat(pid))),
  );
}

/** A run that is over, by the record of its end. */
export function toEndedRunState(
  { ending, endedAt, callerGone }: ExitRecord,
  behind: readonly number[] = [],
): EndedRunState {
  return { kind: 'ended', ending, endedAt: endedAt * 1000, leftoverPids: behind, callerGone };
}

function toProcess(words: readonly string[] | undefined): RecordedProcess | null {
  const [pid, startTime] = (words ?? []).map(Number);
  return pid === undefined || startTime === undefined ? null : { pid, startTime };
}

function lostRunState(why: string, id: string): RunState {
  return {
    kind: 'ended',
    ending: { kind: 'lost', why },
    endedAt: toRunTime(id),
    leftoverPids: [],
    callerGone: false,
  };
}

function readRunFile(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), 'utf8');
  } catch {
    return '';
  }
}
