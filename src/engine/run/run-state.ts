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
export function readRunState(directory: string, { id, proc }: { id: string; proc: ProcReader }): RunState {
  const record = parseExitRecordFile(readRunFile(directory, RUN_FILES.exitRecord));
  const who = readRunProcesses(directory);
  if (record !== null) return toEnded(record, { directory, proc, isThisBoot: who?.bootId === proc.bootId });
  if (who === null) {
    if (Date.now() - toRunTime(id) < START_TIMEOUT_MS) return { kind: 'running' };
    return lostRunState('it never began', id);
  }
  if (who.bootId !== proc.bootId) return lostRunState('the machine was restarted', id);
  // A command may outlive a supervisor that somebody killed.
  if (isProcessAlive(who.supervisor, proc) || isProcessAlive(who.command, proc)) return { kind: 'running' };
  return lostRunState('its supervisor was killed', id);
}

/** `null` when the file is not there, or not whole. */
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
