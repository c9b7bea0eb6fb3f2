import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../run/record/make-directory.ts';
import { renderInline, renderState } from './render-state.ts';
import { EMPTY_STATE, isBare, type ShellState } from './shell-state.ts';

/** A state as it is on disk. */
export interface StoredState {
  readonly state: ShellState;
  /** Grows with every change; what was made for an earlier one is not used for a later one. */
  readonly serial: number;
}

const FILE = 'state.json';
const FORMAT = 1;

/** How many grounds stay: a call that is about to start may still want an earlier one. */
const GROUNDS_KEPT = 8;

/** The state of one session's shell, in a directory of its own. Several programs may use it at once. */
export class StateStore {
  readonly directory: string;
  /** The session's own variables: stronger than the user's shell, weaker than what a command has changed. */
  readonly #env: Readonly<Record<string, string>>;
  #seen: { readonly stamp: string; readonly stored: StoredState } | undefined;

  constructor(directory: string, env: Readonly<Record<string, string>> = {}) {
    this.directory = directory;
    this.#env = env;
  }

  /** What is there now. One that cannot be read is as good as none. */
  load(): StoredState {
    const stamp = stampOf(join(this.directory, FILE));
    if (stamp === null) return NOTHING;
    if (this.#seen?.stamp !== stamp) this.#seen = { stamp, stored: this.#read() };
    return this.#seen.stored;
  }

  /** In one step: whoever reads finds the one from before, or this one. */
  save(state: ShellState): void {
    makeDirectory(this.directory);
    const serial = this.load().serial + 1;
    this.#write(FILE, JSON.stringify({ format: FORMAT, serial, state }));
    this.#forget(serial - GROUNDS_KEPT);
  }

  /** The shell file that makes a new shell what the session's was, or `null` where there is nothing to tell it. */
  ground(snapshot: { readonly id: string; readonly path: string } | null): string | null {
    const { state, serial } = this.load();
    const isBareGround = isBare(state) && (snapshot === null || Object.keys(this.#env).length === 0);
    if (isBareGround) return snapshot?.path ?? null;
    const name = `ground-${serial}${snapshot === null ? '' : `-${snapshot.id}`}.sh`;
    const path = join(this.directory, name);
    if (stampOf(path) === null)
      this.#writeGround(name, renderState(state, { snapshot: snapshot?.path ?? null, env: this.#env }));
    return path;
  }

  /** The same as text, for a shell that does not see our files; empty where there is nothing to tell it. */
  text(): string {
    const { state } = this.load();
    return isBare(state) ? '' : renderInline(renderState(state, { snapshot: null, env: this.#env }));
  }

  /** In milliseconds; `null` when it never was changed. */
  changedAt(): number | null {
    return statSync(join(this.directory, FILE), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  reset(): void {
    const serial = this.load().serial + 1;
    if (serial > 1) this.#write(FILE, JSON.stringify({ format: FORMAT, serial, state: EMPTY_STATE }));
  }

  #read(): StoredState {
    try {
      const { format, serial, state } = JSON.parse(readFileSync(join(this.directory, FILE), 'utf8'));
      if (format === FORMAT && Number.isInteger(serial))
        return { serial, state: { ...EMPTY_STATE, ...state } };
    } catch {
      // Not ours, or of a disk that was full.
    }
    return NOTHING;
  }

  #writeGround(name: string, text: string): void {
    makeDirectory(this.directory);
    this.#write(name, text);
  }

  #write(name: string, text: string): void {
    const temporary = join(this.directory, `${name}.${process.pid}.new`);
    const encoding = name === FILE ? 'utf8' : 'latin1';
    writeFileSync(temporary, text, { mode: 0o600, encoding });
    renameSync(temporary, join(this.directory, name));
  }

  #forget(serial: number): void {
    for (const name of readdirSync(this.directory)) {
      const [, number] = /^ground-(\d+)/.exec(name) ?? [];
      const isOld = number !== undefined && Number(number) <= serial;
      if (isOld || isLeftBehind(name)) rmSync(join(this.directory, name), { force: true });
    }
  }
}

/** A file of a program that was killed with a call under way. */
function isLeftBehind(name: string): boolean {
  const [, call, lock, half] = /^call-(\d+)-|^(\d+)-\d+\.(?:lock|stale)$|\.(\d+)\.new$/.exec(name) ?? [];
  const pid = Number(call ?? lock ?? half ?? 0);
  if (pid === 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

const NOTHING: StoredState = { state: EMPTY_STATE, serial: 0 };

function stampOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
