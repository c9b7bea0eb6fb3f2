import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProcReader } from '../process/proc-reader.ts';
import { isProcessAlive } from '../process/process-identity.ts';
import { isRunId, RUN_FILES, toRunTime } from './run-files.ts';
import { type RunProcesses, type RunState, readRunProcesses, readRunState } from './run-state.ts';
import { RUN_RECORD_FORMAT, requireStateVersion } from './state-version.ts';

/** A run as its directory describes it. */
export interface StoredRun {
  readonly id: string;
  readonly directory: string;
  /** The record that the caller wrote at the start. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  /** The command's process and group; `null` before it began. */
  readonly pid: number | null;
  readonly supervisor: number | null;
  /** Supervisor and command with their start times; `null` before the run began. */
  readonly processes: RunProcesses | null;
  readonly state: RunState;
}

/**
 * Reads the runs of a state directory, of all programs. Nothing is cached, because other programs change it.
 */
export class RunStore {
  readonly #runs: string;
  readonly #proc: ProcReader = new ProcReader();

  /** @throws {NacreError} `state_newer` */
  constructor(stateDirectory: string) {
    requireStateVersion(stateDirectory);
    this.#runs = join(stateDirectory, 'runs');
  }

  /** All run ids, newest first. */
  ids(): string[] {
    try {
      return readdirSync(this.#runs).filter(isRunId).sort().reverse();
    } catch {
      return [];
    }
  }

  /** The directory of all runs. */
  get directory(): string {
    return this.#runs;
  }

  /** Whether the supervisor is alive; until it exits, the record may change. */
  hasLiveSupervisor({ processes, state }: StoredRun): boolean {
    return processes === null ? state.kind === 'running' : isProcessAlive(processes.supervisor, this.#proc);
  }

  directoryOf(id: string): string {
    return join(this.#runs, id);
  }

  /** Reads a run; `null` when it does not exist or its directory is incomplete. */
  find(id: string): StoredRun | null {
    if (!isRunId(id)) return null;
    const directory = this.directoryOf(id);
    const asked = readRequestRecord(directory);
    if (asked === null) return null;
    const processes = readRunProcesses(directory);
    return {
      id,
      directory,
      asked,
      startedAt: Number(asked.startedAt),
      pid: processes?.command.pid ?? null,
      supervisor: processes?.supervisor.pid ?? null,
      processes,
      state: readRunState(directory, { id, proc: this.#proc }),
    };
  }

  /** All runs, newest first; a directory that disappears during the call is skipped. */
  list(): StoredRun[] {
    return this.ids().flatMap((id) => this.find(id) ?? []);
  }

  /** Deletes an ended run. */
  remove(id: string): void {
    if (isRunId(id)) rmSync(this.directoryOf(id), { recursive: true, force: true });
  }

  /** Like {@link remove}, without blocking the event loop. */
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

/** A directory that changed more recently may change again with the same timestamp. */
const MTIME_GRANULARITY_MS = 100;

/** Two programs that create runs at the same time may finish in either order. */
const OVERLAP_MS = 5_000;

/** Detects new runs of all programs. A poll of an unchanged directory costs one `stat`. */
export class NewRunDetector {
  readonly #store: RunStore;
  #changedAt = -1;
  /** Ids created within the overlap before the newest. */
  #recent: ReadonlySet<string> = new Set();
  #newestAt = 0;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** The ids of new runs, newest first; all ids on the first call. */
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
