import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type Artifacts,
  type Bash,
  type BashOptions,
  createBash,
  defaultStateDirectory,
  type JobEnd,
} from '../../index.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { whenAborted } from '../serving/when-aborted.ts';
import { ConsoleApp } from './app.ts';
import { processTerminal } from './terminal-app.ts';

export interface OpenConsoleOptions {
  readonly version: string;
  readonly settings: BashOptions;
  readonly cwd: string;
  /** The session of state, jobs and artifacts; a new one when undefined. */
  readonly session: string | undefined;
  readonly stop: StopSignals;
}

/** Opens the console on this process's terminal. Resolves when the user quits or a stop signal arrives. */
export async function openConsole(options: OpenConsoleOptions): Promise<void> {
  const { version, settings, cwd, session: named, stop } = options;
  const { env } = process;
  const session = named ?? `console-${process.pid}-${Date.now().toString(36)}`;
  const stateDirectory = resolve(settings.stateDirectory ?? defaultStateDirectory(env));
  let onEnd = (_: JobEnd): void => undefined;
  const shared: BashOptions = { ...settings, cwd, stateDirectory };
  const bash = createBash({ ...shared, session, onJobEnd: (end) => onEnd(end) });
  const person = createBash({ ...shared, ...toPersonOptions(settings), session: `${session}.person` });
  const app = new ConsoleApp({
    ...processTerminal(),
    version,
    bash,
    person,
    artifacts: joinArtifacts(bash.artifacts, person.artifacts),
    historyFile: join(stateDirectory, 'console-history'),
    environment: { host: remoteHostName(settings), home: env.HOME ?? homedir(), searchPath: env.PATH ?? '' },
    cwd: () => sessionDirectory(bash) ?? cwd,
    liveJobs: () => bash.jobs.list().filter(({ state }) => state === 'running').length,
  });
  onEnd = ({ job }) => app.onJobEnd(job);
  try {
    const left = app.run();
    whenAborted(stop.signal, () => app.quit());
    await left;
  } finally {
    const { killSignal } = stop;
    await Promise.all([bash.close({ killSignal }), person.close({ killSignal })]);
  }
}

/** The name of the host that runs commands; `null` for the local host. */
function remoteHostName({ host }: BashOptions): string | null {
  return typeof host === 'string' && host !== 'local' ? host : null;
}

/** The directory of the session's next command; `null` before the first change. */
function sessionDirectory({ sessions, session }: Bash): string | null {
  try {
    return sessions.show(session).cwd;
  } catch {
    return null;
  }
}

/** Options for `!` commands: no policy, no rewriting, and the user's full environment. */
function toPersonOptions(settings: BashOptions): BashOptions {
  return {
    profile: 'agent',
    policy: { ...settings.policy, enabled: false },
    secrets: { ...settings.secrets, withhold: false },
    async: { enabled: false },
    liftLimits: false,
    virtualTerminal: 'off',
  };
}

/** The artifacts of both tools, newest first; a name is looked up in both. */
function joinArtifacts(tool: Artifacts, person: Artifacts): Artifacts {
  const of = (name: string): Artifacts => {
    const id = name.replace(/^artifact:\/\//, '').replace(/\/err$/, '');
    return person.list().some((each) => each.id === id) ? person : tool;
  };
  return {
    list: () => [...tool.list(), ...person.list()].sort((a, b) => b.startedAt - a.startedAt),
    open: (name) => of(name).open(name),
    paths: (name) => of(name).paths(name),
    remove: (id) => of(id).remove(id),
    sweep: (limits) => tool.sweep(limits),
  };
}
