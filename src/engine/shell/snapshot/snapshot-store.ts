import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../run/record/make-directory.ts';
import { renderState } from '../state/render-state.ts';
import { namesOf, type ShellState } from '../state/shell-state.ts';
import { captureShell } from './capture.ts';
import { rcFiles, stampFiles } from './rc-files.ts';

/** The user's shell as commands get it. */
export interface Snapshot {
  readonly id: string;
  readonly path: string;
  /** Functions and aliases: names that do not mean a program. */
  readonly names: readonly string[];
  /** What these are, by name: {@link SnapshotTexts}. */
  readonly textsPath: string;
}

/** What is in the second file of a snapshot. Texts hold one byte in each character. */
export interface SnapshotTexts {
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
}

export interface FoundSnapshot {
  /** `null` when there is none to be had. */
  readonly snapshot: Snapshot | null;
  /** Why not; `null` when there is one. */
  readonly failure: string | null;
}

export interface SnapshotRequest {
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What is on disk beside the snapshot itself. */
interface Meta {
  readonly format: number;
  readonly files: readonly string[];
  readonly stamp: string;
  readonly at: number;
  readonly snapshot: Snapshot | null;
  readonly failure: string | null;
  /** How often in a row it went wrong with these files. */
  readonly failures: number;
}

const FORMAT = 4;
/** What went wrong may go right later: soon, where the machine had too much to do, and then seldom. */
const RETRY_MS = [60_000, 3_600_000];
/** How long we go without looking at the files again. */
const LOOK_EVERY_MS = 2_000;

/** Takes a snapshot once for all sessions of a user, and again when the files have changed. */
export class SnapshotStore {
  readonly #directory: string;
  #found: { readonly at: number; readonly key: string; readonly meta: Meta } | undefined;
  #underWay: Promise<Meta> | undefined;

  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, 'snapshots');
  }

  async find(request: SnapshotRequest): Promise<FoundSnapshot> {
    const key = keyOf(request);
    const now = Date.now();
    if (this.#found?.key === key && now - this.#found.at < LOOK_EVERY_MS) return this.#found.meta;
    const stored = this.#read(key);
    const meta = stored !== null && isCurrent(stored, now) ? stored : await this.#take(key, request, stored);
    this.#found = { at: Date.now(), key, meta };
    return meta;
  }

  /** Several calls at once wait for one. */
  #take(key: string, request: SnapshotRequest, before: Meta | null): Promise<Meta> {
    this.#underWay ??= this.#capture(key, request, before).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #capture(key: string, { shell, env }: SnapshotRequest, before: Meta | null): Promise<Meta> {
    const files = rcFiles(env.HOME ?? '/');
    const stamp = stampFiles(files);
    const failures = before !== null && before.stamp === stamp ? before.failures + 1 : 1;
    const base = { format: FORMAT, files, stamp, at: Date.now() };
    try {
      const directory = join(this.#directory, key);
      makeDirectory(directory);
      const captured = await captureShell({ shell, env, directory });
      const meta: Meta =
        'failure' in captured
          ? { ...base, snapshot: null, failure: captured.failure, failures }
          : { ...base, snapshot: this.#write(directory, captured.state), failure: null, failures: 0 };
      replace(join(directory, META), JSON.stringify(meta), 'utf8');
      return meta;
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      return { ...base, snapshot: null, failure, failures };
    }
  }

  #write(directory: string, state: ShellState): Snapshot {
    const text = renderState(state, { snapshot: null, env: {} });
    const { createHash } = process.getBuiltinModule('node:crypto');
    const id = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 12);
    const path = join(directory, `snapshot-${id}.sh`);
    replace(path, text, 'latin1');
    const textsPath = join(directory, `snapshot-${id}.json`);
    replace(textsPath, JSON.stringify(textsOf(state)), 'utf8');
    return { id, path, textsPath, names: [...namesOf(state.functions), ...namesOf(state.aliases)] };
  }

  #read(key: string): Meta | null {
    try {
      const meta = JSON.parse(readFileSync(join(this.#directory, key, META), 'utf8')) as Meta;
      if (meta.format !== FORMAT) return null;
      return meta.snapshot === null || isFile(meta.snapshot.path) ? meta : null;
    } catch {
      return null;
    }
  }
}

const META = 'snapshot.json';

function textsOf({ functions, aliases }: ShellState): SnapshotTexts {
  const present = <T>(kind: Readonly<Record<string, T | null>>): [string, T][] =>
    Object.entries(kind).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return {
    functions: Object.fromEntries(present(functions).map(([name, { text }]) => [name, text])),
    aliases: Object.fromEntries(present(aliases)),
  };
}

function isCurrent({ files, stamp, failures, at }: Meta, now: number): boolean {
  const retry = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1];
  if (retry !== undefined && now - at > retry) return false;
  return stampFiles(files) === stamp;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The same files read by another shell, for another home or with another path give another snapshot. */
function keyOf({ shell, env }: SnapshotRequest): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const text = JSON.stringify([shell, env.HOME, env.PATH]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function replace(path: string, text: string, encoding: BufferEncoding): void {
  writeFileSync(`${path}.${process.pid}.new`, text, { mode: 0o600, encoding });
  renameSync(`${path}.${process.pid}.new`, path);
}
