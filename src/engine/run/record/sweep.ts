import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toRunTime } from './id.ts';
import { makeDirectory } from './make-directory.ts';
import type { RunStore } from './store.ts';

/** What may stay. Runs that are going on, and what they left behind, always stay. */
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

/** Removes runs that are too old, then the oldest of those that are too much. */
export async function sweepRuns(store: RunStore, limits: SweepLimits): Promise<SweepReport> {
  const report = { removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 };
  const oldest = Date.now() - limits.maxAgeMs;
  for (const id of store.ids()) {
    const directory = store.directoryOf(id);
    const bytes = await sizeOf(directory);
    const fits = toRunTime(id) >= oldest && report.keptBytes + bytes <= limits.maxTotalBytes;
    if (fits || isLive(store, id)) {
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

/** Whether it is time for another sweep; only the first to ask hears yes, for an hour. */
export function isSweepDue(stateDirectory: string): boolean {
  const stamp = join(stateDirectory, 'swept');
  const now = Date.now();
  try {
    if (now - statSync(stamp).mtimeMs < SWEEP_EVERY_MS) return false;
    utimesSync(stamp, now / 1000, now / 1000);
  } catch {
    makeDirectory(dirname(stamp));
    writeFileSync(stamp, '', { mode: 0o600 });
  }
  return true;
}

function isLive(store: RunStore, id: string): boolean {
  const state = store.find(id)?.state;
  return state !== undefined && (state.kind === 'running' || state.behind.length > 0);
}

async function sizeOf(directory: string): Promise<number> {
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
