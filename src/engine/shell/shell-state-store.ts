import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isPidInUse } from '../process/process-identity.ts';
import { DRAFT_FILE, makePrivateDirectory, writeFileAtomically } from '../process/state-files.ts';
import {
  EMPTY_SHELL_STATE,
  isEmptyShellState,
  renderInlineState,
  renderShellState,
  type ShellState,
} from './shell-state.ts';

/** A shell state and its version number. */
interface StoredShellState {
  readonly state: ShellState;
  /** Incremented with every change. */
  readonly serial: number;
  /** Why the state file cannot be used, so that `state` is empty. */
  readonly problem?: StateFileProblem;
}

/** Why a state file cannot be used: its text is invalid, or a newer nacre wrote it. */
export type StateFileProblem =
  | { readonly kind: 'damaged' }
  | { readonly kind: 'newer'; readonly format: number };

const STATE_FILE = 'state.json';
/** Version of the state file. An older nacre does not read a file with a higher number. */
export const STATE_FORMAT = 1;

/** How many versions of the base environment are kept, for calls that are about to start. */
const BASE_FILES_KEPT = 8;

/** Stores the shell state of one session in a directory, which several processes may use. */
export class ShellStateStore {
  readonly directory: string;
  /** Variables of the session: they override the rc snapshot, and changes by commands override them. */
  readonly #env: Readonly<Record<string, string>>;
  #cached: { readonly stamp: string; readonly stored: StoredShellState } | undefined;

  constructor(directory: string, env: Readonly<Record<string, string>> = {}) {
    this.directory = directory;
    this.#env = env;
  }

  /** Returns the current state. It is empty when the file cannot be used; `problem` says why. */
  load(): StoredShellState {
    const stamp = stampOf(join(this.directory, STATE_FILE));
    if (stamp === null) return NO_STORED_STATE;
    if (this.#cached?.stamp !== stamp) this.#cached = { stamp, stored: this.#read() };
    return this.#cached.stored;
  }

  /** Replaces the state file atomically. */
  save(state: ShellState): void {
    makePrivateDirectory(this.directory);
    const serial = this.load().serial + 1;
    this.#write(STATE_FILE, JSON.stringify({ format: STATE_FORMAT, serial, state }));
    this.#removeOldFiles(serial - BASE_FILES_KEPT);
  }

  /** Returns the script that restores the session's shell state; `null` if there is nothing to restore. */
  baseEnvironmentFile(snapshot: { readonly id: string; readonly path: string } | null): string | null {
    const { state, serial } = this.load();
    const isBare = isEmptyShellState(state) && (snapshot === null || Object.keys(this.#env).length === 0);
    if (isBare) return snapshot?.path ?? null;
    const name = `ground-${serial}${snapshot === null ? '' : `-${snapshot.id}`}.sh`;
    const path = join(this.directory, name);
    if (stampOf(path) === null) {
      makePrivateDirectory(this.directory);
      this.#write(name, renderShellState(state, { snapshot: snapshot?.path ?? null, env: this.#env }));
    }
    return path;
  }

  /**
   * Returns the same script as text, for a shell that cannot read the file; empty if there is nothing to
   * restore.
   */
  inlineScript(): string {
    const { state } = this.load();
    return isEmptyShellState(state)
      ? ''
      : renderInlineState(renderShellState(state, { snapshot: null, env: this.#env }));
  }

  /** Time of the last change in milliseconds; `null` if there was none. */
  changedAt(): number | null {
    return statSync(join(this.directory, STATE_FILE), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  reset(): void {
    const serial = this.load().serial + 1;
    if (serial > 1)
      this.#write(STATE_FILE, JSON.stringify({ format: STATE_FORMAT, serial, state: EMPTY_SHELL_STATE }));
  }

  /**
   * Renames a state file that cannot be used, so that it is kept, and puts an empty state in its place.
   * Returns the problem and the new path, or `null` when the file is usable.
   */
  setUnusableAside(): { readonly problem: StateFileProblem; readonly path: string } | null {
    const { problem, serial } = this.load();
    if (problem === undefined) return null;
    const file = join(this.directory, STATE_FILE);
    const path = `${file}.${problem.kind}`;
    try {
      renameSync(file, path);
      this.#write(
        STATE_FILE,
        JSON.stringify({ format: STATE_FORMAT, serial: serial + 1, state: EMPTY_SHELL_STATE }),
      );
      return { problem, path };
    } catch {
      // A directory that cannot be written must not stop the command.
      return { problem, path: file };
    }
  }

  #read(): StoredShellState {
    const path = join(this.directory, STATE_FILE);
    try {
      // Reading a FIFO would block.
      const text = statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
      const { format, serial, state } = JSON.parse(text);
      if (Number.isInteger(format) && format > STATE_FORMAT) return this.#unusable({ kind: 'newer', format });
      if (format === STATE_FORMAT && Number.isInteger(serial) && isShellState(state))
        return { serial, state: { ...EMPTY_SHELL_STATE, ...state } };
    } catch (error) {
      // The file was removed meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_STORED_STATE;
    }
    return this.#unusable({ kind: 'damaged' });
  }

  /** The serial continues after the existing base files, so that none of them is taken for a later state. */
  #unusable(problem: StateFileProblem): StoredShellState {
    const serials = readdirSync(this.directory).map((name) => Number(/^ground-(\d+)/.exec(name)?.[1] ?? 0));
    return { state: EMPTY_SHELL_STATE, serial: Math.max(0, ...serials), problem };
  }

  #write(name: string, text: string): void {
    writeFileAtomically(join(this.directory, name), text, name === STATE_FILE ? 'utf8' : 'latin1');
  }

  #removeOldFiles(serial: number): void {
    for (const name of readdirSync(this.directory)) {
      const [, number] = /^ground-(\d+)/.exec(name) ?? [];
      const isOld = number !== undefined && Number(number) <= serial;
      if (isOld || isStaleTemporaryFile(name)) rmSync(join(this.directory, name), { force: true });
    }
  }
}

/** Whether each field that is present has the kind of value that an empty state has. */
function isShellState(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(EMPTY_SHELL_STATE).every(([name, empty]) => {
    const field = fields.get(name) ?? empty;
    if (empty === null) return field === null || typeof field === 'string';
    return typeof field === 'object' && Array.isArray(field) === Array.isArray(empty);
  });
}

/** Whether a temporary file belongs to a process that was killed during a call. */
function isStaleTemporaryFile(name: string): boolean {
  const [, pid] = /^call-(\d+)-/.exec(name) ?? DRAFT_FILE.exec(name) ?? [];
  return pid !== undefined && !isPidInUse(Number(pid));
}

const NO_STORED_STATE: StoredShellState = { state: EMPTY_SHELL_STATE, serial: 0 };

function stampOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
