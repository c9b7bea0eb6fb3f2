import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../errors.ts';
import {
  listDirectory,
  makePrivateDirectory,
  readTextFile,
  writeFileAtomically,
} from '../process/state-files.ts';
import { captureShell } from './capture-shell.ts';
import { presentNames, renderShellState, type ShellState } from './shell-state.ts';

/** The state that the user's rc files produce, as a script for every command. */
export interface RcSnapshot {
  readonly id: string;
  readonly path: string;
  /** Names of functions and aliases. */
  readonly names: readonly string[];
  /** File with their texts: {@link RcSnapshotTexts}. */
  readonly textsPath: string;
}

/** Contents of the second file of a snapshot. Texts have one byte per character (latin1). */
export interface RcSnapshotTexts {
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
}

interface RcSnapshotLookup {
  readonly snapshot: RcSnapshot | null;
  /** Why there is no snapshot; `null` if there is one. */
  readonly failure: string | null;
}

interface RcSnapshotRequest {
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The file that describes a snapshot on disk. */
interface SnapshotMeta {
  readonly format: number;
  readonly files: readonly string[];
  readonly stamp: string;
  readonly at: number;
  readonly snapshot: RcSnapshot | null;
  readonly failure: string | null;
  /** Consecutive failures with the same rc files. */
  readonly failures: number;
}

const SNAPSHOT_FORMAT = 4;
/** A failure is retried soon, in case the machine was overloaded, and then rarely. */
const RETRY_MS = [60_000, 3_600_000];
/** How long a result is used without checking the rc files again. */
const RECHECK_MS = 2_000;

/** Captures the rc files once for all sessions of a user, and again after they change. */
export class RcSnapshotStore {
  readonly #directory: string;
  #found: { readonly at: number; readonly key: string; readonly meta: SnapshotMeta } | undefined;
  #pending: Promise<SnapshotMeta> | undefined;

  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, 'snapshots');
  }

  async find(request: RcSnapshotRequest): Promise<RcSnapshotLookup> {
    const key = snapshotKey(request);
    const now = Date.now();
    if (this.#found?.key === key && now - this.#found.at < RECHECK_MS) return this.#found.meta;
    const stored = this.#read(key);
    const meta = stored !== null && isCurrent(stored, now) ? stored : await this.#take(key, request, stored);
    this.#found = { at: Date.now(), key, meta };
    return meta;
  }

  /** Concurrent calls share one capture. */
  #take(key: string, request: RcSnapshotRequest, before: SnapshotMeta | null): Promise<SnapshotMeta> {
    this.#pending ??= this.#capture(key, request, before).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #capture(
    key: string,
    { shell, env }: RcSnapshotRequest,
    before: SnapshotMeta | null,
  ): Promise<SnapshotMeta> {
    const files = listRcFiles(env.HOME ?? '/');
    const stamp = stampFiles(files);
    const failures = before !== null && before.stamp === stamp ? before.failures + 1 : 1;
    const base = { format: SNAPSHOT_FORMAT, files, stamp, at: Date.now() };
    try {
      const directory = join(this.#directory, key);
      makePrivateDirectory(directory);
      const captured = await captureShell({ shell, env, directory });
      const meta: SnapshotMeta =
        'failure' in captured
          ? { ...base, snapshot: null, failure: captured.failure, failures }
          : { ...base, snapshot: this.#write(directory, captured.state), failure: null, failures: 0 };
      writeFileAtomically(join(directory, META_FILE), JSON.stringify(meta));
      return meta;
    } catch (error) {
      return { ...base, snapshot: null, failure: errorMessage(error), failures };
    }
  }

  #write(directory: string, state: ShellState): RcSnapshot {
    const text = renderShellState(state, { snapshot: null, env: {} });
    const { createHash } = process.getBuiltinModule('node:crypto');
    const id = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 12);
    const path = join(directory, `snapshot-${id}.sh`);
    writeFileAtomically(path, text, 'latin1');
    const textsPath = join(directory, `snapshot-${id}.json`);
    writeFileAtomically(textsPath, JSON.stringify(snapshotTexts(state)));
    return { id, path, textsPath, names: [...presentNames(state.functions), ...presentNames(state.aliases)] };
  }

  #read(key: string): SnapshotMeta | null {
    try {
      const meta = JSON.parse(readFileSync(join(this.#directory, key, META_FILE), 'utf8')) as SnapshotMeta;
      if (meta.format !== SNAPSHOT_FORMAT) return null;
      return meta.snapshot === null || isFile(meta.snapshot.path) ? meta : null;
    } catch {
      return null;
    }
  }
}

const META_FILE = 'snapshot.json';

function snapshotTexts({ functions, aliases }: ShellState): RcSnapshotTexts {
  const present = <T>(kind: Readonly<Record<string, T | null>>): [string, T][] =>
    Object.entries(kind).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return {
    functions: Object.fromEntries(present(functions).map(([name, { text }]) => [name, text])),
    aliases: Object.fromEntries(present(aliases)),
  };
}

function isCurrent({ files, stamp, failures, at }: SnapshotMeta, now: number): boolean {
  const retry = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1];
  if (retry !== undefined && now - at > retry) return false;
  return stampFiles(files) === stamp;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Shell, home and PATH affect what the rc files do. */
function snapshotKey({ shell, env }: RcSnapshotRequest): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const text = JSON.stringify([shell, env.HOME, env.PATH]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Lists the files that a login shell reads, and files that these source by a literal path. */
function listRcFiles(home: string): string[] {
  const own = ['.bash_profile', '.bash_login', '.profile', '.bashrc', '.bash_aliases'].map((name) =>
    join(home, name),
  );
  const profiles = listDirectory('/etc/profile.d').map((name) => join('/etc/profile.d', name));
  const all = ['/etc/profile', '/etc/bash.bashrc', '/etc/bashrc', ...profiles, ...own];
  const named = all.flatMap((path) => sourcedIn(path, home));
  return [...new Set([...all, ...named])];
}

/** Returns a stamp that changes when one of the files changes. */
function stampFiles(paths: readonly string[]): string {
  return paths.map(rcFileStamp).join('\n');
}

function rcFileStamp(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
  } catch {
    return '-';
  }
}

const SOURCED = /(?:^|[\s;&|])(?:\.|source)\s+"?((?:~|\$HOME|\$\{HOME\}|)\/[^\s"';&|$`)]+)/gm;

function sourcedIn(path: string, home: string): string[] {
  const text = readTextFile(path)?.slice(0, 256 * 1024) ?? '';
  return [...text.matchAll(SOURCED)].map(([, name = '']) => name.replace(/^(?:~|\$HOME|\$\{HOME\})/, home));
}
