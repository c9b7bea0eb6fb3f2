import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { presentNames, type ShellState } from '../../engine/shell/shell-state.ts';
import { ShellStateStore } from '../../engine/shell/shell-state-store.ts';
import { NacreError } from '../../errors.ts';
import { createSession, SESSION_KEY_FILE } from './session.ts';
import { SHELLS_DIRECTORY } from './session-shell.ts';

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

/** A session that was used with several shells shows the one that changed last. */
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

/** Keys that are no names of folders are written down. */
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

/** A key that nobody chose: whoever made it has most likely forgotten it by the time it is this old. */
const GENERATED_SESSION_KEY = /^s-[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Removes the shells of sessions without a name that nobody has used for a long time. Those with a name stay. */
export function sweepSessionShells(stateDirectory: string, maxAgeMs: number, now: number = Date.now()): void {
  const sessions = join(stateDirectory, 'sessions');
  for (const name of listNames(sessions)) {
    if (!GENERATED_SESSION_KEY.test(name)) continue;
    const shells = join(sessions, name, SHELLS_DIRECTORY);
    const ages = listNames(shells).map((shell) => now - lastUsedAt(join(shells, shell)));
    if (ages.length > 0 && Math.min(...ages) > maxAgeMs) rmSync(shells, { recursive: true, force: true });
  }
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Every call that changes the shell makes and removes files beside it. */
function lastUsedAt(directory: string): number {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
