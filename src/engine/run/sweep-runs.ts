import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isProcessAlive } from '../process/process-identity.ts';
import { makePrivateDirectory } from '../process/state-files.ts';
import type { WarmShellPaths } from './run-directory.ts';
import { isRunId, RUN_FILES, toRunTime } from './run-files.ts';
import { readRunProcesses } from './run-state.ts';
import type { RunStore } from './run-store.ts';

/** Limits for stored runs. Running runs and runs with live leftover processes are always kept. */
export interface SweepLimits {
  readonly maxAgeMs: number;
  readonly maxTotalBytes: number;
}

export interface SweepReport {
  readonly removed: number;
  readonly removedBytes: number;
  readonly kept: number;
  readonly keptBytes: number;
}

const SWEEP_EVERY_MS = 60 * 60 * 1000;

/** Deletes runs beyond the age limit, then the oldest runs beyond the size limit. */
export async function sweepRuns(store: RunStore, limits: SweepLimits): Promise<SweepReport> {
  const report = { removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 };
  const oldest = Date.now() - limits.maxAgeMs;
  for (const id of store.ids()) {
    const directory = store.directoryOf(id);
    const bytes = await directoryBytes(directory);
    const fits = toRunTime(id) >= oldest && report.keptBytes + bytes <= limits.maxTotalBytes;
    if (fits || isRunLive(store, id)) {
      report.kept += 1;
      report.keptBytes += bytes;
      continue;
    }
    await rm(directory, { recursive: true, force: true });
    report.removed += 1;
    report.removedBytes += bytes;
  }
  return report;
}

/** Whether a sweep is due; only the first caller within an hour gets `true`. */
export function isSweepDue(stateDirectory: string): boolean {
  const stamp = join(stateDirectory, 'swept');
  const now = Date.now();
  try {
    if (now - statSync(stamp).mtimeMs < SWEEP_EVERY_MS) return false;
    utimesSync(stamp, now / 1000, now / 1000);
  } catch {
    makePrivateDirectory(dirname(stamp));
    writeFileSync(stamp, '', { mode: 0o600 });
  }
  return true;
}

function isRunLive(store: RunStore, id: string): boolean {
  const state = store.find(id)?.state;
  return state !== undefined && (state.kind === 'running' || state.leftoverPids.length > 0);
}

async function directoryBytes(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(directory, name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A directory that is being created has no recorded processes yet. */
const MIN_STALE_AGE_MS = 60_000;

/**
 * Removes directories of warm shells whose supervisors were killed. A directory with a request becomes a run.
 */
export function sweepWarmDirectories({ ready, runs }: WarmShellPaths): void {
  for (const id of listRunIds(ready)) {
    const directory = join(ready, id);
    const processes = readRunProcesses(directory);
    if ((processes !== null && isProcessAlive(processes.supervisor)) || isYoung(directory)) continue;
    if (hasRequest(directory)) {
      makePrivateDirectory(runs);
      renameSync(directory, join(runs, id));
    } else rmSync(directory, { recursive: true, force: true });
  }
}

function listRunIds(directory: string): string[] {
  try {
    return readdirSync(directory).filter(isRunId);
  } catch {
    return [];
  }
}

function isYoung(directory: string): boolean {
  const found = statSync(directory, { throwIfNoEntry: false });
  return found === undefined || Date.now() - found.mtimeMs < MIN_STALE_AGE_MS;
}

/** Whether it got a command before its processes were killed. */
function hasRequest(directory: string): boolean {
  const asked = statSync(join(directory, RUN_FILES.request), { throwIfNoEntry: false });
  return asked !== undefined && asked.size > 0;
}
