import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { makePrivateDirectory } from '../process/state-files.ts';
import { needsPreamble, PREAMBLE_FILE, renderPreamble } from './command-preamble.ts';
import { renderExitRecord } from './exit-record.ts';
import { createRunId, RUN_FILES, RUN_INDEX_FILE, toRunTime } from './run-files.ts';
import type { RunRequest } from './run-request.ts';
import { RUN_RECORD_FORMAT, writeStateVersion } from './state-version.ts';
import {
  needsCommandFile,
  renderCallSpec,
  renderSupervisorSpec,
  renderWarmShellSpec,
  type SupervisorSpec,
  type WarmShellConfig,
} from './supervisor-spec.ts';

export const PRIVATE_MODE = { directory: 0o700, file: 0o600 };

/** The directory of a run with all files that its start needs. */
export interface RunDirectory {
  readonly id: string;
  readonly path: string;
  readonly spec: SupervisorSpec;
}

/** Creates the complete directory of a new run, or throws before anything is started. */
export function createRunDirectory(
  request: RunRequest,
  { runs, bootId }: { runs: string; bootId: string },
): RunDirectory {
  try {
    const { id, path } = makeUniqueRunDirectory(runs);
    return fillDirectory(request, { id, path, bootId });
  } catch (cause) {
    throw new NacreError('store_unusable', { directory: runs, reason: errorMessage(cause) }, { cause });
  }
}

/** Creates a directory with a new run id as its name. */
export function makeUniqueRunDirectory(runs: string): { id: string; path: string } {
  for (;;) {
    const id = createRunId();
    const path = join(runs, id);
    try {
      mkdirSync(path, { mode: PRIVATE_MODE.directory });
      return { id, path };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') ensureRunStore(runs);
      else if (code !== 'EEXIST') throw error;
    }
  }
}

/**
 * Creates the directory of all runs and the index beside it; supervisors append to the index only when it
 * exists.
 */
export function ensureRunStore(runs: string): void {
  if (existsSync(runs)) return;
  makePrivateDirectory(runs);
  closeSync(openSync(join(dirname(runs), RUN_INDEX_FILE), 'a', PRIVATE_MODE.file));
  writeStateVersion(dirname(runs));
}

function fillDirectory(
  request: RunRequest,
  target: { id: string; path: string; bootId: string },
): RunDirectory {
  const { id, path, bootId } = target;
  const now = toRunTime(id);
  const write = (name: string, text: string): void =>
    writeFileSync(join(path, name), text, { mode: PRIVATE_MODE.file });
  const spec = renderSupervisorSpec(request, { id, directory: path, bootId, now });
  write(
    RUN_FILES.request,
    JSON.stringify({ format: RUN_RECORD_FORMAT, ...request.asked, id, startedAt: now }),
  );
  write(RUN_FILES.exitRecord, renderExitRecord('running'));
  write(RUN_FILES.spec, spec.text);
  if (needsCommandFile(request)) write(RUN_FILES.command, request.command);
  if (request.input.kind === 'text') write(RUN_FILES.stdin, request.input.text);
  if (needsPreamble(request)) write('preamble', renderPreamble(request, path));
  request.external?.prepare?.(path, id);
  if (request.watcher === 'nobody') linkBackgroundLog(path);
  return { id, path, spec };
}

/** Links the log file of a background run to the raw output; after the end it becomes a copy. */
export function linkBackgroundLog(path: string): void {
  try {
    closeSync(openSync(join(path, RUN_FILES.out), 'a', PRIVATE_MODE.file));
    linkSync(join(path, RUN_FILES.out), join(path, RUN_FILES.backgroundLog));
  } catch {
    // Best effort: the run matters more than the second name of its output.
  }
}

function errorMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

export interface WarmShellPaths {
  /** Directories of warm shells that have no command yet. */
  readonly ready: string;
  readonly runs: string;
  readonly bootId: string;
}

/** What a warm shell is started with. */
export interface WarmShellStart {
  readonly config: WarmShellConfig;
  /** Shell text that the warm shell reads first. */
  readonly script: string;
  /** Path of `setsid`, which gives the shell its own session. */
  readonly setsid: string;
}

/**
 * The directory of a warm shell. It is not listed as a run until it gets a command and moves to the directory
 * of runs.
 */
export class WarmRunDirectory {
  readonly id: string;
  /** Its path before it becomes a run. */
  readonly pendingPath: string;
  readonly #runs: string;
  #path: string;
  /** Opened in advance, so that each file needs one write when the command is known. */
  readonly #asked: number;
  readonly #call: number;
  #isOpen = true;

  constructor(paths: WarmShellPaths, { config, script, setsid }: WarmShellStart) {
    const { id, path } = makeUniqueRunDirectory(paths.ready);
    this.id = id;
    this.pendingPath = path;
    this.#path = join(paths.runs, id);
    this.#runs = paths.runs;
    const write = (name: string, text: string): void =>
      writeFileSync(join(path, name), text, { mode: PRIVATE_MODE.file });
    write(RUN_FILES.spec, renderWarmShellSpec(config, { id, bootId: paths.bootId, setsid }).text);
    write(RUN_FILES.warmShellScript, script);
    write(RUN_FILES.exitRecord, renderExitRecord('running'));
    this.#call = openSync(join(path, RUN_FILES.callSpec), 'wx', PRIVATE_MODE.file);
    this.#asked = openSync(join(path, RUN_FILES.request), 'wx', PRIVATE_MODE.file);
  }

  /** Its path after it became a run. */
  get path(): string {
    return this.#path;
  }

  /** Writes the request, so that the supervisor knows the limits whatever happens next. Returns the time. */
  recordRequest(request: RunRequest, hasPreamble: boolean): number {
    const now = Date.now();
    if (hasPreamble)
      writeFileSync(join(this.pendingPath, PREAMBLE_FILE), renderPreamble(request, this.path), {
        mode: PRIVATE_MODE.file,
      });
    if (request.input.kind === 'text')
      writeFileSync(join(this.pendingPath, RUN_FILES.stdin), request.input.text, { mode: PRIVATE_MODE.file });
    writeSync(this.#call, renderCallSpec(request, now));
    writeSync(
      this.#asked,
      JSON.stringify({ format: RUN_RECORD_FORMAT, ...request.asked, id: this.id, startedAt: now }),
    );
    return now;
  }

  /** Moves it to the directory of runs. The supervisor moves it when this process is killed before. */
  promote(): void {
    if (!this.#isOpen) return;
    this.close();
    try {
      renameSync(this.pendingPath, this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makePrivateDirectory(this.#runs);
      renameSync(this.pendingPath, this.path);
    }
  }

  /** Keeps the old path for a run whose directory could not be moved. */
  stayPending(): void {
    this.#path = this.pendingPath;
  }

  /** Removes files that the supervisor and the shell have read. */
  removeLaunchFiles(): void {
    for (const name of [RUN_FILES.spec, RUN_FILES.warmShellScript])
      unlinkIfPresent(join(this.pendingPath, name));
  }

  /** Removes a run that could not begin. */
  remove(): void {
    this.close();
    for (const path of [this.pendingPath, this.path]) rmSync(path, { recursive: true, force: true });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#asked);
    closeSync(this.#call);
  }
}

/** Removes files that only the start needed. */
export function removeStartFiles(directory: string): void {
  for (const name of [RUN_FILES.spec, RUN_FILES.deathMessage, RUN_FILES.callSpec])
    unlinkIfPresent(join(directory, name));
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Best effort: no reader depends on the removal.
  }
}
