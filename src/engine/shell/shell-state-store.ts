import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
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
}

const STATE_FILE = 'state.json';
const FORMAT = 1;

/** How many versions of the base environment are kept, for calls that are about to start. */
const BASE_FILES_KEPT = 8;

/** Stores the shell state of one session in a directory, which several processes may use. */
export class ShellStateStore {
  readonly directory: string;
  /** Variables of the session: they override the rc snapshot, and changes by commands override them. */
  readonly #env: Readonly<Record<string, string>>;
  #seen: { readonly stamp: string; readonly stored: StoredShellState } | undefined;

  constructor(directory: string, env: Readonly<Record<string, string>> = {}) {
    this.directory = directory;
    this.#env = env;
  }

  /** Returns the current state; an unreadable one counts as empty. */
  load(): StoredShellState {
    const stamp = stampOf(join(this.directory, STATE_FILE));
    if (stamp === null) return NO_STORED_STATE;
    if (this.#seen?.stamp !== stamp) this.#seen = { stamp, stored: this.#read() };
    return this.#seen.stored;
  }

  /** Replaces the state file atomically. */
  save(state: ShellState): void {
    makePrivateDirectory(this.directory);
    const serial = this.load().serial + 1;
    this.#write(STATE_FILE, JSON.stringify({ format: FORMAT, serial, state }));
    this.#forget(serial - BASE_FILES_KEPT);
  }

  /** Returns the script that restores the session's shell state; `null` if there is nothing to restore. */
  baseEnvironmentFile(snapshot: { readonly id: string; readonly path: string } | null): string | null {
    const { state, serial } = this.load();
    const isBareGround =
      isEmptyShellState(state) && (snapshot === null || Object.keys(this.#env).length === 0);
    if (isBareGround) return snapshot?.path ?? null;
    const name = `ground-${serial}${snapshot === null ? '' : `-${snapshot.id}`}.sh`;
    const path = join(this.directory, name);
    if (stampOf(path) === null)
      this.#writeGround(name, renderShellState(state, { snapshot: snapshot?.path ?? null, env: this.#env }));
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
      this.#write(STATE_FILE, JSON.stringify({ format: FORMAT, serial, state: EMPTY_SHELL_STATE }));
  }

  #read(): StoredShellState {
    try {
      const { format, serial, state } = JSON.parse(readFileSync(join(this.directory, STATE_FILE), 'utf8'));
      if (format === FORMAT && Number.isInteger(serial))
        return { serial, state: { ...EMPTY_SHELL_STATE, ...state } };
    } catch {
      // Unknown format, or truncated because the disk was full.
    }
    return NO_STORED_STATE;
  }

  #writeGround(name: string, text: string): void {
    makePrivateDirectory(this.directory);
    this.#write(name, text);
  }

  #write(name: string, text: string): void {
    writeFileAtomically(join(this.directory, name), text, name === STATE_FILE ? 'utf8' : 'latin1');
  }

  #forget(serial: number): void {
    for (const name of readdirSync(this.directory)) {
      const [, number] = /^ground-(\d+)/.exec(name) ?? [];
      const isOld = number !== undefined && Number(number) <= serial;
      if (isOld || isStaleTemporaryFile(name)) rmSync(join(this.directory, name), { force: true });
    }
  }
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
