import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { requireStateVersion } from '../../engine/run/state-version.ts';
import { presentNames, type ShellState } from '../../engine/shell/shell-state.ts';
import { ShellStateStore } from '../../engine/shell/shell-state-store.ts';
import { NacreError } from '../../errors.ts';
import { createSession, SESSION_KEY_FILE } from './session.ts';
import { SHELLS_DIRECTORY } from './session-shell.ts';

/** Summary of a session's shell. It has names only, because values may be secret. */
export interface SessionInfo {
  readonly session: string;
  /** Directory with `local://` and the shell state. */
  readonly directory: string;
  /** Directory of the next command; `null`: the caller's. */
  readonly cwd: string | null;
  /** Time of the last change in milliseconds; `null` when there was none. */
  readonly changedAt: number | null;
  readonly variables: readonly string[];
  /** Variables that were unset. */
  readonly unset: readonly string[];
  readonly functions: readonly string[];
  readonly aliases: readonly string[];
  /** Commands that set the options: `shopt -s extglob`, `set -o pipefail`. */
  readonly options: readonly string[];
  readonly umask: string | null;
}

/** Access to the sessions of a state directory. */
export interface Sessions {
  /** Lists all sessions, last changed first. */
  list(): readonly SessionInfo[];
  /** @throws {NacreError} `session_not_found` */
  show(session: string): SessionInfo;
  /**
   * Discards the shell state: the next command runs in a fresh shell. Jobs, artifacts and files stay.
   *
   * @throws {NacreError} `session_not_found`
   */
  reset(session: string): void;
}

/** Options of `openSessions`. */
export interface SessionsOptions {
  readonly stateDirectory: string;
}

/**
 * Opens the sessions of a state directory, for a program that runs no commands itself.
 *
 * @throws {NacreError} `state_newer`
 */
export function openSessions({ stateDirectory }: SessionsOptions): Sessions {
  requireStateVersion(stateDirectory);
  const all = join(stateDirectory, 'sessions');
  const find = (session: string): string => {
    const { directory } = createSession(session, stateDirectory);
    if (statSync(directory, { throwIfNoEntry: false }) === undefined)
      throw new NacreError('session_not_found', { session });
    return directory;
  };
  return {
    list: () =>
      listDirectory(all)
        .map((name) => toSessionInfo(join(all, name)))
        .sort((one, other) => (other.changedAt ?? 0) - (one.changedAt ?? 0)),
    show: (session) => toSessionInfo(find(session)),
    reset: (session) => {
      for (const store of openStateStores(find(session))) store.reset();
    },
  };
}

function listDirectory(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function openStateStores(directory: string): ShellStateStore[] {
  const shells = join(directory, SHELLS_DIRECTORY);
  return listDirectory(shells).map((name) => new ShellStateStore(join(shells, name)));
}

/** A session with several shell states shows the one that changed last. */
function toSessionInfo(directory: string): SessionInfo {
  const shells = openStateStores(directory)
    .map((store) => ({ state: store.load().state, changedAt: store.changedAt() }))
    .sort((one, other) => (other.changedAt ?? 0) - (one.changedAt ?? 0));
  const [latest] = shells;
  return {
    session: readSessionKey(directory),
    directory,
    changedAt: latest?.changedAt ?? null,
    ...summarizeShell(latest?.state),
  };
}

function readSessionKey(directory: string): string {
  try {
    return readFileSync(join(directory, SESSION_KEY_FILE), 'utf8');
  } catch {
    return basename(directory);
  }
}

type ShellSummary = Omit<SessionInfo, 'session' | 'directory' | 'changedAt'>;

function summarizeShell(state: ShellState | undefined): ShellSummary {
  if (state === undefined)
    return { cwd: null, variables: [], unset: [], functions: [], aliases: [], options: [], umask: null };
  const { cwd, variables, functions, aliases, shopt, set, umask } = state;
  const unset = Object.keys(variables).filter((name) => variables[name] === null);
  const options = [
    ...Object.entries(shopt).map(([name, on]) => `shopt -${on ? 's' : 'u'} ${name}`),
    ...Object.entries(set).map(([name, on]) => `set ${on ? '-' : '+'}o ${name}`),
  ];
  const names = {
    variables: presentNames(variables),
    functions: presentNames(functions),
    aliases: presentNames(aliases),
  };
  return { cwd, ...names, unset, options, umask };
}

/** A generated key: no caller chose it, so no later program asks for it. */
const GENERATED_SESSION_KEY = /^s-[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Deletes the shell state of sessions with a generated key that were not used for `maxAgeMs`. */
export function sweepSessionShells(stateDirectory: string, maxAgeMs: number, now: number = Date.now()): void {
  const sessions = join(stateDirectory, 'sessions');
  for (const name of listDirectory(sessions)) {
    if (!GENERATED_SESSION_KEY.test(name)) continue;
    const shells = join(sessions, name, SHELLS_DIRECTORY);
    const ages = listDirectory(shells).map((shell) => now - lastUsedAt(join(shells, shell)));
    if (ages.length > 0 && Math.min(...ages) > maxAgeMs) rmSync(shells, { recursive: true, force: true });
  }
}

/** Each call that changes the shell creates and removes files in its directory. */
function lastUsedAt(directory: string): number {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
