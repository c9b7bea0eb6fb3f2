import { closeSync, openSync, renameSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../files.ts';
import type { RunRequest } from '../request.ts';
import { PREAMBLE_FILE, renderPreamble } from '../supervise/preamble.ts';
import { type ReadyGround, renderCall, renderReadySpec } from '../supervise/spec.ts';
import { MODE, makeOwnDirectory } from './directory.ts';
import { renderEndingFile } from './ending-file.ts';
import { makeDirectory } from './make-directory.ts';

export interface ReadyPlace {
  /** Where directories wait to become runs. */
  readonly ready: string;
  readonly runs: string;
  readonly bootId: string;
}

/** What its shell is started with. */
export interface ReadyStart {
  readonly ground: ReadyGround;
  /** What it reads first. */
  readonly waiter: string;
  /** The program that gives it a session of its own. */
  readonly setsid: string;
}

/**
 * The directory of a run whose command is not known yet. It is no run, and nobody who lists runs finds it, until it
 * is given one and moves to its place.
 */
export class ReadyDirectory {
  readonly id: string;
  /** Where it is while it waits. */
  readonly waiting: string;
  readonly #runs: string;
  #path: string;
  /** Open ahead: each is one write when the command is there. */
  readonly #asked: number;
  readonly #call: number;
  #isOpen = true;

  constructor(place: ReadyPlace, { ground, waiter, setsid }: ReadyStart) {
    const { id, path } = makeOwnDirectory(place.ready);
    this.id = id;
    this.waiting = path;
    this.#path = join(place.runs, id);
    this.#runs = place.runs;
    const write = (name: string, text: string): void =>
      writeFileSync(join(path, name), text, { mode: MODE.file });
    write(RUN_FILES.spec, renderReadySpec(ground, { id, bootId: place.bootId, setsid }).text);
    write(RUN_FILES.waiter, waiter);
    write(RUN_FILES.ending, renderEndingFile('running'));
    this.#call = openSync(join(path, RUN_FILES.call), 'wx', MODE.file);
    this.#asked = openSync(join(path, RUN_FILES.asked), 'wx', MODE.file);
  }

  /** Where it will be, and is once it has moved. */
  get path(): string {
    return this.#path;
  }

  /** What it is to run is on record: whatever happens next, its supervisor knows the limits, and that there is a run. Returns when that was. */
  note(request: RunRequest, hasPreamble: boolean): number {
    const now = Date.now();
    if (hasPreamble)
      writeFileSync(join(this.waiting, PREAMBLE_FILE), renderPreamble(request, this.path), {
        mode: MODE.file,
      });
    if (request.input.kind === 'text')
      writeFileSync(join(this.waiting, RUN_FILES.stdin), request.input.text, { mode: MODE.file });
    writeSync(this.#call, renderCall(request, now));
    writeSync(this.#asked, JSON.stringify({ ...request.asked, id: this.id, startedAt: now }));
    return now;
  }

  /** From here on everybody finds it among the runs. Its supervisor moves it when we are killed before. */
  move(): void {
    if (!this.#isOpen) return;
    this.close();
    try {
      renameSync(this.waiting, this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makeDirectory(this.#runs);
      renameSync(this.waiting, this.path);
    }
  }

  /** It could not move, and its command runs: it stays where it is. */
  stay(): void {
    this.#path = this.waiting;
  }

  /** Its supervisor and its shell have begun: what they began with has been read. */
  forgetStart(): void {
    for (const name of [RUN_FILES.spec, RUN_FILES.waiter]) forget(join(this.waiting, name));
  }

  /** It has become a run that cannot begin: it never was one. */
  remove(): void {
    this.close();
    for (const path of [this.waiting, this.path]) rmSync(path, { recursive: true, force: true });
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
  for (const name of [RUN_FILES.spec, RUN_FILES.message, RUN_FILES.call]) forget(join(directory, name));
}

function forget(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Not there, or not ours to remove: nobody reads it.
  }
}
