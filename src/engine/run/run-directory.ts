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

/** A run's directory with all that must be there before anything starts. */
export interface RunDirectory {
  readonly id: string;
  readonly path: string;
  readonly spec: SupervisorSpec;
}

/** Makes the directory of a new run. Fails before anything runs, or leaves it complete. */
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

/** A directory with a run's new name. */
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

/** The directory of all runs, and the index beside it: supervisors add to it only where there is one. */
export function ensureRunStore(runs: string): void {
  if (existsSync(runs)) return;
  makePrivateDirectory(runs);
  closeSync(openSync(join(dirname(runs), RUN_INDEX_FILE), 'a', PRIVATE_MODE.file));
  writeStateVersion(dirname(runs));
}

function fillDirectory(
  request: RunRequest,
  place: { id: string; path: string; bootId: string },
): RunDirectory {
  const { id, path, bootId } = place;
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

/** Until the run is over, the log that a background start names is the raw output by another name. */
export function linkBackgroundLog(path: string): void {
  try {
    closeSync(openSync(join(path, RUN_FILES.out), 'a', PRIVATE_MODE.file));
    linkSync(join(path, RUN_FILES.out), join(path, RUN_FILES.backgroundLog));
  } catch {
    // A full disk, or a name that is there already: the run matters more than its second name.
  }
}

function errorMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

export interface WarmShellPaths {
  /** Where directories wait to become runs. */
  readonly ready: string;
  readonly runs: string;
  readonly bootId: string;
}

/** What its shell is started with. */
export interface WarmShellStart {
  readonly config: WarmShellConfig;
  /** What it reads first. */
  readonly script: string;
  /** The program that gives it a session of its own. */
  readonly setsid: string;
}

/**
 * The directory of a run whose command is not known yet. It is no run, and nobody who lists runs finds it, until it
 * is given one and moves to its place.
 */
export class WarmRunDirectory {
  readonly id: string;
  /** Where it is while it waits. */
  readonly pendingPath: string;
  readonly #runs: string;
  #path: string;
  /** Open ahead: each is one write when the command is there. */
  readonly #asked: number;
  readonly #call: number;
  #isOpen = true;

  constructor(place: WarmShellPaths, { config, script, setsid }: WarmShellStart) {
    const { id, path } = makeUniqueRunDirectory(place.ready);
    this.id = id;
    this.pendingPath = path;
    this.#path = join(place.runs, id);
    this.#runs = place.runs;
    const write = (name: string, text: string): void =>
      writeFileSync(join(path, name), text, { mode: PRIVATE_MODE.file });
    write(RUN_FILES.spec, renderWarmShellSpec(config, { id, bootId: place.bootId, setsid }).text);
    write(RUN_FILES.warmShellScript, script);
    write(RUN_FILES.exitRecord, renderExitRecord('running'));
    this.#call = openSync(join(path, RUN_FILES.callSpec), 'wx', PRIVATE_MODE.file);
    this.#asked = openSync(join(path, RUN_FILES.request), 'wx', PRIVATE_MODE.file);
  }

  /** Where it will be, and is once it has moved. */
  get path(): string {
    return this.#path;
  }

  /** What it is to run is on record: whatever happens next, its supervisor knows the limits, and that there is a run. Returns when that was. */
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

  /** From here on everybody finds it among the runs. Its supervisor moves it when we are killed before. */
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

  /** It could not move, and its command runs: it stays where it is. */
  stayPending(): void {
    this.#path = this.pendingPath;
  }

  /** Its supervisor and its shell have begun: what they began with has been read. */
  removeLaunchFiles(): void {
    for (const name of [RUN_FILES.spec, RUN_FILES.warmShellScript])
      unlinkIfPresent(join(this.pendingPath, name));
  }

  /** It has become a run that cannot begin: it never was one. */
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

/** Files that only the start needed. */
export function removeStartFiles(directory: string): void {
  for (const name of [RUN_FILES.spec, RUN_FILES.deathMessage, RUN_FILES.callSpec])
    unlinkIfPresent(join(directory, name));
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Not there, or not ours to remove: nobody reads it.
  }
}
