import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProcReader } from '../process/proc-reader.ts';
import { isProcessAlive } from '../process/process-identity.ts';
import { isRunId, RUN_FILES, toRunTime } from './run-files.ts';
import { type RunProcesses, type RunState, readRunProcesses, readRunState } from './run-state.ts';
import { RUN_RECORD_FORMAT, requireStateVersion } from './state-version.ts';

/** A run as its directory tells it. */
export interface StoredRun {
  readonly id: string;
  readonly directory: string;
  /** What the caller wrote into it when it was started. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  /** The command's own process and group; `null` before it began. */
  readonly pid: number | null;
  readonly supervisor: number | null;
  /** The same two with their start times. */
  readonly processes: RunProcesses | null;
  readonly state: RunState;
}

/** All runs of a state directory, whoever started them. Many programs may use it at once: nothing is remembered here. */
export class RunStore {
  readonly #runs: string;
  readonly #proc: ProcReader = new ProcReader();

  /** @throws {NacreError} `state_newer` */
  constructor(stateDirectory: string) {
    requireStateVersion(stateDirectory);
    this.#runs = join(stateDirectory, 'runs');
  }

  /** Newest first. */
  ids(): string[] {
    try {
      return readdirSync(this.#runs).filter(isRunId).sort().reverse();
    } catch {
      return [];
    }
  }

  /** Where they are. */
  get directory(): string {
    return this.#runs;
  }

  /** Whether its supervisor is still there: until it goes, what is on record may change. */
  hasLiveSupervisor({ processes, state }: StoredRun): boolean {
    return processes === null ? state.kind === 'running' : isProcessAlive(processes.supervisor, this.#proc);
  }

  directoryOf(id: string): string {
    return join(this.#runs, id);
  }

  /** `null` when there is no such run, or its directory is not whole. */
  find(id: string): StoredRun | null {
    if (!isRunId(id)) return null;
    const directory = this.directoryOf(id);
    const asked = readRequestRecord(directory);
    if (asked === null) return null;
    const who = readRunProcesses(directory);
    return {
      id,
      directory,
      asked,
      startedAt: Number(asked.startedAt),
      pid: who?.command.pid ?? null,
      supervisor: who?.supervisor.pid ?? null,
      processes: who,
      state: readRunState(directory, { id, proc: this.#proc }),
    };
  }

  /** Newest first; a directory that vanishes meanwhile is left out. */
  list(): StoredRun[] {
    return this.ids().flatMap((id) => this.find(id) ?? []);
  }

  /** Forgets a run for good. Never call it for one that is running. */
  remove(id: string): void {
    if (isRunId(id)) rmSync(this.directoryOf(id), { recursive: true, force: true });
  }

  /** The same beside everything else: where there are many of them, the disk takes its time. */
  async removeAsync(id: string): Promise<void> {
    if (isRunId(id)) await rm(this.directoryOf(id), { recursive: true, force: true });
  }
}

/** Lists show the run and its state, but none of the fields whose meaning may have changed. */
function toNewerRecord({ session, startedAt, format }: Record<string, unknown>): Record<string, unknown> {
  const command = `(recorded by a newer nacre, format ${format})`;
  return { session, startedAt, label: command, command };
}

function readRequestRecord(directory: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, RUN_FILES.request), 'utf8'));
    if (typeof value !== 'object' || value === null) return null;
    const record = value as Record<string, unknown>;
    return Number(record.format ?? 1) > RUN_RECORD_FORMAT ? toNewerRecord(record) : record;
  } catch {
    return null;
  }
}

/** A directory that changed less long ago may change again without showing it: its time has a grain. */
const MTIME_GRANULARITY_MS = 100;

/** Two programs that make a run at once may finish in either order. */
const OVERLAP_MS = 5_000;

/** Notices runs that were made since the last look, by whomever. A look at an unchanged directory costs next to nothing. */
export class NewRunDetector {
  readonly #store: RunStore;
  #changedAt = -1;
  /** Those made within the overlap before the newest. */
  #recent: ReadonlySet<string> = new Set();
  #newestAt = 0;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Newest first; all there are at the first look. */
  poll(): readonly string[] {
    const changedAt = statSync(this.#store.directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAt === this.#changedAt && Date.now() - changedAt > MTIME_GRANULARITY_MS) return [];
    this.#changedAt = changedAt;
    const ids = this.#store.ids();
    const fresh = takeNewer(ids, this.#newestAt).filter((id) => !this.#recent.has(id));
    this.#newestAt = toRunTime(ids[0] ?? '0000000') - OVERLAP_MS;
    this.#recent = new Set(takeNewer(ids, this.#newestAt));
    return fresh;
  }
}

function takeNewer(ids: readonly string[], after: number): readonly string[] {
  const end = ids.findIndex((id) => toRunTime(id) < after);
  return end === -1 ? ids : ids.slice(0, end);
}
