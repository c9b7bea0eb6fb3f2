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
import { App } from './app.ts';
import { createDevice } from './screen/device.ts';
import { chooseTheme, mayAdapt } from './screen/theme.ts';

export interface OpenOptions {
  readonly version: string;
  /** As the settings say. */
  readonly settings: BashOptions;
  readonly cwd: string;
  /** Whose state, jobs and artifacts; a new one where nobody names it. */
  readonly session: string | undefined;
  readonly stop: StopSignals;
}

/** Opens the console on the terminal of this program. Resolves when the person has left it or a signal has come. */
export async function openConsole(options: OpenOptions): Promise<void> {
  const { version, settings, cwd, session: named, stop } = options;
  const { env } = process;
  const session = named ?? `console-${process.pid}-${Date.now().toString(36)}`;
  const stateDirectory = resolve(settings.stateDirectory ?? defaultStateDirectory(env));
  let onEnd = (_: JobEnd): void => undefined;
  const shared: BashOptions = { ...settings, cwd, stateDirectory };
  const bash = createBash({ ...shared, session, onJobEnd: (end) => onEnd(end) });
  const person = createBash({ ...shared, ...asThePerson(settings), session: `${session}.person` });
  const app = new App({
    ...{ version, bash, person },
    device: createDevice(process.stdin, process.stdout),
    theme: chooseTheme(env),
    mayAdapt: mayAdapt(env),
    artifacts: joinArtifacts(bash.artifacts, person.artifacts),
    historyFile: join(stateDirectory, 'console-history'),
    place: { host: nameOf(settings), home: env.HOME ?? homedir(), searchPath: env.PATH ?? '' },
    cwd: () => placeOf(bash) ?? cwd,
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

/** Where commands run, if that is not simply here. */
function nameOf({ host }: BashOptions): string | null {
  return typeof host === 'string' && host !== 'local' ? host : null;
}

/** Where the session's next command starts; `null` before it has moved. */
function placeOf({ sessions, session }: Bash): string | null {
  try {
    return sessions.show(session).cwd;
  } catch {
    return null;
  }
}

/** A person at a shell is not judged, not rewritten, and has the environment they came with. */
function asThePerson(settings: BashOptions): BashOptions {
  return {
    profile: 'agent',
    policy: { ...settings.policy, enabled: false },
    secrets: { ...settings.secrets, withhold: false },
    async: { enabled: false },
    liftLimits: false,
    virtualTerminal: 'off',
  };
}

/** The outputs of both, newest first; a name is that of either. */
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
