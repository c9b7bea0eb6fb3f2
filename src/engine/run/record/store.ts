import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../files.ts';
import { ProcReader } from '../tree/proc.ts';
import { readBootId } from './boot.ts';
import { isRunId } from './id.ts';
import { isAlive, judge, type RunState, readWho, type Who } from './judge.ts';
import { requireStateVersion } from './state-version.ts';

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
  readonly who: Who | null;
  readonly state: RunState;
}

/** All runs of a state directory, whoever started them. Many programs may use it at once: nothing is remembered here. */
export class RunStore {
  readonly #runs: string;
  readonly #bootId: string = readBootId();
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
  isAttended({ who, state }: StoredRun): boolean {
    return who === null ? state.kind === 'running' : isAlive(who.supervisor, this.#proc);
  }

  directoryOf(id: string): string {
    return join(this.#runs, id);
  }

  /** `null` when there is no such run, or its directory is not whole. */
  find(id: string): StoredRun | null {
    if (!isRunId(id)) return null;
    const directory = this.directoryOf(id);
    const asked = readAsked(directory);
    if (asked === null) return null;
    const who = readWho(directory);
    return {
      id,
      directory,
      asked,
      startedAt: Number(asked.startedAt),
      pid: who?.command.pid ?? null,
      supervisor: who?.supervisor.pid ?? null,
      who,
      state: judge(directory, { id, bootId: this.#bootId, proc: this.#proc }),
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
  async removeGently(id: string): Promise<void> {
    if (isRunId(id)) await rm(this.directoryOf(id), { recursive: true, force: true });
  }
}

function readAsked(directory: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, RUN_FILES.asked), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
