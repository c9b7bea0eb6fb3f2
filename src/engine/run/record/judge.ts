import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending } from '../ending.ts';
import { RUN_FILES } from '../files.ts';
import { isGone, type ProcReader } from '../tree/proc.ts';
import { type EndingRecord, parseEndingFile } from './ending-file.ts';
import { toRunTime } from './id.ts';

/** A process on record: its number means nothing without its start time. */
export interface RecordedProcess {
  readonly pid: number;
  readonly startTime: number;
}

/** Who ran it, as the supervisor wrote it. */
export interface Who {
  readonly supervisor: RecordedProcess;
  readonly command: RecordedProcess;
  readonly bootId: string;
}

/** What has become of a run, judged by what its directory says and who is alive. */
export type RunState = { readonly kind: 'running' } | EndedState;

export interface EndedState {
  readonly kind: 'ended';
  readonly ending: Ending;
  readonly endedAt: number;
  /** Who stayed behind and is still alive. */
  readonly behind: readonly number[];
  /** Somebody had waited for it, and died before it ended. */
  readonly callerGone: boolean;
}

/** A supervisor that wrote nothing within this time never began. */
const START_PATIENCE_MS = 10_000;

/** Nothing is ever run again from a record: a run whose end nobody saw is lost, and says why. */
export function judge(
  directory: string,
  { id, bootId, proc }: { id: string; bootId: string; proc: ProcReader },
): RunState {
  const record = parseEndingFile(read(directory, RUN_FILES.ending));
  const who = readWho(directory);
  if (record !== null) return toEnded(record, { directory, proc, isThisBoot: who?.bootId === bootId });
  if (who === null) {
    if (Date.now() - toRunTime(id) < START_PATIENCE_MS) return { kind: 'running' };
    return lost('it never began', id);
  }
  if (who.bootId !== bootId) return lost('the machine was restarted', id);
  // A command may outlive a supervisor that somebody killed.
  if (isAlive(who.supervisor, proc) || isAlive(who.command, proc)) return { kind: 'running' };
  return lost('its supervisor was killed', id);
}

/** `null` when the file is not there, or not whole. */
export function readWho(directory: string): Who | null {
  const lines = new Map(
    read(directory, RUN_FILES.who)
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
export function isAlive({ pid, startTime }: RecordedProcess, proc: ProcReader): boolean {
  const stat = proc.stat(pid);
  return !isGone(stat) && stat?.startTime === startTime;
}

function toEnded(
  record: EndingRecord,
  look: { directory: string; proc: ProcReader; isThisBoot: boolean },
): RunState {
  const pids = look.isThisBoot
    ? read(look.directory, RUN_FILES.behind).split('\n').filter(Boolean).map(Number)
    : [];
  return toEndedState(
    record,
    pids.filter((pid) => !isGone(look.proc.stat(pid))),
  );
}

/** A run that is over, by the record of its end. */
export function toEndedState(
  { ending, endedAt, callerGone }: EndingRecord,
  behind: readonly number[] = [],
): EndedState {
  return { kind: 'ended', ending, endedAt: endedAt * 1000, behind, callerGone };
}

function toProcess(words: readonly string[] | undefined): RecordedProcess | null {
  const [pid, startTime] = (words ?? []).map(Number);
  return pid === undefined || startTime === undefined ? null : { pid, startTime };
}

function lost(why: string, id: string): RunState {
  return {
    kind: 'ended',
    ending: { kind: 'lost', why },
    endedAt: toRunTime(id),
    behind: [],
    callerGone: false,
  };
}

function read(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), 'utf8');
  } catch {
    return '';
  }
}
