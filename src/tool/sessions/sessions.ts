import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namesOf, type ShellState } from '../../engine/shell/state/shell-state.ts';
import { StateStore } from '../../engine/shell/state/state-store.ts';
import { NacreError } from '../../errors.ts';
import { SHELLS } from './open-session-shell.ts';
import { createSession, SESSION_FILE } from './session.ts';

/** What is known of a session's shell. Values are not shown: names tell enough, and values may be secret. */
export interface SessionInfo {
  readonly session: string;
  /** Its folder, where `local://` and its shell are. */
  readonly directory: string;
  /** Where its next command starts; `null`: where its caller says. */
  readonly cwd: string | null;
  /** When its shell changed last, in milliseconds; `null` when it never did. */
  readonly changedAt: number | null;
  readonly variables: readonly string[];
  /** Variables that were taken away. */
  readonly unset: readonly string[];
  readonly functions: readonly string[];
  readonly aliases: readonly string[];
  /** Options as one would type them: `shopt -s extglob`, `set -o pipefail`. */
  readonly options: readonly string[];
  readonly umask: string | null;
}

/** The sessions of a state directory. */
export interface Sessions {
  /** All of them, the one that changed last first. */
  list(): readonly SessionInfo[];
  /** @throws {NacreError} `session_not_found` */
  show(session: string): SessionInfo;
  /**
   * The next command has a new shell where the session began. Jobs, artifacts and files stay.
   *
   * @throws {NacreError} `session_not_found`
   */
  reset(session: string): void;
}

export interface SessionsOptions {
  readonly stateDirectory: string;
}

/** For whoever has no instance: the command line, a monitor. */
export function openSessions({ stateDirectory }: SessionsOptions): Sessions {
  const all = join(stateDirectory, 'sessions');
  const find = (session: string): string => {
    const { directory } = createSession(session, stateDirectory);
    if (statSync(directory, { throwIfNoEntry: false }) === undefined)
      throw new NacreError('session_not_found', { session });
    return directory;
  };
  return {
    list: () =>
      entriesOf(all)
        .map((name) => toInfo(join(all, name)))
        .sort((one, other) => (other.changedAt ?? 0) - (one.changedAt ?? 0)),
    show: (session) => toInfo(find(session)),
    reset: (session) => {
      for (const store of storesOf(find(session))) store.reset();
    },
  };
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function storesOf(directory: string): StateStore[] {
  const shells = join(directory, SHELLS);
  return entriesOf(shells).map((name) => new StateStore(join(shells, name)));
}

/** A session that was used with several shells shows the one that changed last. */
function toInfo(directory: string): SessionInfo {
  const shells = storesOf(directory)
    .map((store) => ({ state: store.load().state, changedAt: store.changedAt() }))
    .sort((one, other) => (other.changedAt ?? 0) - (one.changedAt ?? 0));
  const [latest] = shells;
  return {
    session: nameOf(directory),
    directory,
    changedAt: latest?.changedAt ?? null,
    ...describe(latest?.state),
  };
}

/** Keys that are no names of folders are written down. */
function nameOf(directory: string): string {
  try {
    return readFileSync(join(directory, SESSION_FILE), 'utf8');
  } catch {
    return basename(directory);
  }
}

type Described = Omit<SessionInfo, 'session' | 'directory' | 'changedAt'>;

function describe(state: ShellState | undefined): Described {
  if (state === undefined)
    return { cwd: null, variables: [], unset: [], functions: [], aliases: [], options: [], umask: null };
  const { cwd, variables, functions, aliases, shopt, set, umask } = state;
  const unset = Object.keys(variables).filter((name) => variables[name] === null);
  const options = [
    ...Object.entries(shopt).map(([name, on]) => `shopt -${on ? 's' : 'u'} ${name}`),
    ...Object.entries(set).map(([name, on]) => `set ${on ? '-' : '+'}o ${name}`),
  ];
  const names = { variables: namesOf(variables), functions: namesOf(functions), aliases: namesOf(aliases) };
  return { cwd, ...names, unset, options, umask };
}
