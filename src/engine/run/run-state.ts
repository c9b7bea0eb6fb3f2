import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasExited, type ProcReader } from '../process/proc-reader.ts';
import { isProcessAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { type ExitRecord, parseExitRecordFile } from './exit-record.ts';
import { RUN_FILES, toRunTime } from './run-files.ts';
import type { Ending } from './run-request.ts';

/** A process as a run directory records it. */
export type RecordedProcess = ProcessIdentity & { readonly startTime: number };

/** The two processes of a run, as the supervisor recorded them. */
export interface RunProcesses {
  readonly supervisor: RecordedProcess;
  readonly command: RecordedProcess;
  readonly bootId: string;
}

/** The state of a run, derived from its directory and its live processes. */
export type RunState = { readonly kind: 'running' } | EndedRunState;

export interface EndedRunState {
  readonly kind: 'ended';
  readonly ending: Ending;
  readonly endedAt: number;
  /** Leftover processes that are still alive. */
  readonly leftoverPids: readonly number[];
  /** A caller waited for the run and died before it ended. */
  readonly callerGone: boolean;
}

/** A supervisor that recorded nothing within this time never started. */
const START_TIMEOUT_MS = 10_000;

/**
 * Reads the state of a run. A run without an exit record and without live processes is lost; it is never run
 * again.
 */
export function readRunState(directory: string, { id, proc }: { id: string; proc: ProcReader }): RunState {
  const record = parseExitRecordFile(readRunFile(directory, RUN_FILES.exitRecord));
  const processes = readRunProcesses(directory);
  if (record !== null)
    return toEnded(record, { directory, proc, isThisBoot: processes?.bootId === proc.bootId });
  if (processes === null) {
    if (Date.now() - toRunTime(id) < START_TIMEOUT_MS) return { kind: 'running' };
    return lostRunState('it never began', id);
  }
  if (processes.bootId !== proc.bootId) return lostRunState('the machine was restarted', id);
  // A command may outlive a supervisor that was killed.
  if (isProcessAlive(processes.supervisor, proc) || isProcessAlive(processes.command, proc))
    return { kind: 'running' };
  return lostRunState('its supervisor was killed', id);
}

/** Reads the recorded processes of a run; `null` when the file is missing or incomplete. */
export function readRunProcesses(directory: string): RunProcesses | null {
  const lines = new Map(
    readRunFile(directory, RUN_FILES.processes)
      .split('\n')
      .map((line) => [line.split(' ')[0], line.split(' ').slice(1)]),
  );
  const bootId = lines.get('boot')?.[0];
  if (bootId === undefined) return null;
  const supervisor = toProcess(lines.get('supervisor'), bootId);
  const command = toProcess(lines.get('command'), bootId);
  if (supervisor === null || command === null) return null;
  return { supervisor, command, bootId };
}

function toEnded(
  record: ExitRecord,
  source: { directory: string; proc: ProcReader; isThisBoot: boolean },
): RunState {
  const pids = source.isThisBoot
    ? readRunFile(source.directory, RUN_FILES.leftoverPids).split('\n').filter(Boolean).map(Number)
    : [];
  return toEndedRunState(
    record,
    pids.filter((pid) => !hasExited(source.proc.stat(pid))),
  );
}

/** The state of an ended run, from its exit record. */
export function toEndedRunState(
  { ending, endedAt, callerGone }: ExitRecord,
  leftoverPids: readonly number[] = [],
): EndedRunState {
  return { kind: 'ended', ending, endedAt: endedAt * 1000, leftoverPids, callerGone };
}

function toProcess(words: readonly string[] | undefined, bootId: string): RecordedProcess | null {
  const [pid, startTime] = (words ?? []).map(Number);
  return pid === undefined || startTime === undefined ? null : { pid, startTime, bootId };
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
