import { closeSync, existsSync, linkSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NacreError } from '../../../errors.ts';
import { INDEX_FILE, RUN_FILES } from '../files.ts';
import type { RunRequest } from '../request.ts';
import { needsPreamble, renderPreamble } from '../supervise/preamble.ts';
import { needsCommandFile, renderSpec, type Spec } from '../supervise/spec.ts';
import { renderEndingFile } from './ending-file.ts';
import { createRunId, toRunTime } from './id.ts';
import { makeDirectory } from './make-directory.ts';
import { writeStateVersion } from './state-version.ts';

export const MODE = { directory: 0o700, file: 0o600 };

/** A run's directory with all that must be there before anything starts. */
export interface RunDirectory {
  readonly id: string;
  readonly path: string;
  readonly spec: Spec;
}

/** Makes the directory of a new run. Fails before anything runs, or leaves it complete. */
export function createRunDirectory(
  request: RunRequest,
  { runs, bootId }: { runs: string; bootId: string },
): RunDirectory {
  try {
    const { id, path } = makeOwnDirectory(runs);
    return fillDirectory(request, { id, path, bootId });
  } catch (cause) {
    throw new NacreError('store_unusable', { directory: runs, reason: reasonOf(cause) }, { cause });
  }
}

/** A directory with a run's new name. */
export function makeOwnDirectory(runs: string): { id: string; path: string } {
  for (;;) {
    const id = createRunId();
    const path = join(runs, id);
    try {
      mkdirSync(path, { mode: MODE.directory });
      return { id, path };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') makeStore(runs);
      else if (code !== 'EEXIST') throw error;
    }
  }
}

/** The directory of all runs, and the index beside it: supervisors add to it only where there is one. */
export function makeStore(runs: string): void {
  if (existsSync(runs)) return;
  makeDirectory(runs);
  closeSync(openSync(join(dirname(runs), INDEX_FILE), 'a', MODE.file));
  writeStateVersion(dirname(runs));
}

function fillDirectory(
  request: RunRequest,
  place: { id: string; path: string; bootId: string },
): RunDirectory {
  const { id, path, bootId } = place;
  const now = toRunTime(id);
  const write = (name: string, text: string): void =>
    writeFileSync(join(path, name), text, { mode: MODE.file });
  const spec = renderSpec(request, { id, directory: path, bootId, now });
  write(RUN_FILES.asked, JSON.stringify({ ...request.asked, id, startedAt: now }));
  write(RUN_FILES.ending, renderEndingFile('running'));
  write(RUN_FILES.spec, spec.text);
  if (needsCommandFile(request)) write(RUN_FILES.command, request.command);
  if (request.input.kind === 'text') write(RUN_FILES.stdin, request.input.text);
  if (needsPreamble(request)) write('preamble', renderPreamble(request, path));
  request.place?.prepare?.(path, id);
  if (request.watcher === 'nobody') nameBackgroundLog(path);
  return { id, path, spec };
}

/** Until the run is over, the log that a background start names is the raw output by another name. */
export function nameBackgroundLog(path: string): void {
  try {
    closeSync(openSync(join(path, RUN_FILES.out), 'a', MODE.file));
    linkSync(join(path, RUN_FILES.out), join(path, RUN_FILES.log));
  } catch {
    // A full disk, or a name that is there already: the run matters more than its second name.
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
