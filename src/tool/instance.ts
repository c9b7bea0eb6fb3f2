import { createClientHost } from '../engine/hosts/client/client-host.ts';
import { createMask, type Mask } from '../engine/output/mask.ts';
import { RunStore } from '../engine/run/record/store.ts';
import { findShell } from '../engine/shell/find-shell.ts';
import { once } from '../engine/text/once.ts';
import { openHost } from './hosts/open-host.ts';
import { Teller } from './job/telling/teller.ts';
import { Journal } from './journal/journal.ts';
import type { ResolvedOptions } from './options/resolved-options.ts';
import { Environments, makeEnvironment } from './planning/environment.ts';
import { createJudge } from './planning/policy-judge.ts';
import type { Approvals } from './policy/asking/approvals.ts';
import { openApprovals } from './policy/asking/approvals.ts';
import { profiles } from './profiles/profiles.ts';
import type { InstanceContext } from './running/context.ts';
import { Waits } from './running/waits.ts';
import type { Artifacts } from './runs/artifacts.ts';
import { createArtifacts } from './runs/artifacts.ts';
import type { IndexedRun } from './runs/index-file.ts';
import { JobRoom } from './runs/job-room.ts';
import type { Jobs } from './runs/jobs.ts';
import { createJobs } from './runs/jobs.ts';
import { OwnRuns } from './runs/own-runs.ts';
import { RunIndex } from './runs/run-index.ts';
import { Sweeper } from './runs/sweeper.ts';
import { openSessionShell } from './sessions/open-session-shell.ts';
import { createSession } from './sessions/session.ts';
import { Turns } from './turns.ts';
import type { ArtifactFiles } from './urls/artifact-scheme.ts';
import { knownSchemes } from './urls/known-schemes.ts';
import { ShownArtifacts } from './urls/shown-artifacts.ts';

/** Everything one `createBash` owns. */
export interface Instance extends InstanceContext {
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  readonly approvals: Approvals;
  close(): Promise<void>;
}

export function createInstance(given: ResolvedOptions): Instance {
  const { stateDirectory, session: key, async, urls, onJobEnd } = given;
  const session = createSession(key, stateDirectory);
  const {
    host: base,
    isOwn,
    directory,
    sees,
  } = openHost(given, {
    localDirectory: session.localDirectory,
    shownDirectory: session.shownDirectory,
    session: key,
  });
  // A sandbox or another machine is where commands are to run: terminals of the client are no way out of it.
  const { clientTerminals } = given;
  const host =
    clientTerminals === null || base.name !== 'local' ? base : createClientHost(clientTerminals, base);
  // Another machine has its own directories and variables.
  const options = directory === null ? given : { ...given, cwd: directory, inheritedEnv: {} };
  const profile = profiles[options.profile];
  const store = new RunStore(stateDirectory);
  const runs = new OwnRuns(options.jobsAtExit);
  const mask = once(() => maskOf(given));
  const shell = once(() => shellOf(given));
  const artifacts = createArtifacts({ store, session: key, mask });
  const index = new RunIndex(store, stateDirectory);
  const sweeper = new Sweeper({ store, index }, options);
  const isWaitedFor = (id: string): boolean => runs.isWaitedFor(id);
  const listRuns = (): readonly IndexedRun[] => index.list();
  const jobs = createJobs({ store, index, session: key, mask, isWaitedFor });
  const teller = new Teller({ store, session: key, runs: listRuns, mask, onJobEnd });
  const shown = sees === 'shown' ? new ShownArtifacts(session.shownDirectory) : null;
  const judge = createJudge(options, shell);
  const environments = new Environments({ options, profile });
  const sessionShell = openSessionShell(session, options, { host, shell });
  const prepareShells = (): void =>
    host.prepare?.(() => ({
      shell: shell(),
      cwd: options.cwd,
      env: environments.of({}).env,
      streams: profile.streams,
      ground: sessionShell?.ground ?? null,
    }));
  prepareShells();
  return {
    options,
    profile,
    session,
    host,
    isElsewhere: directory !== null || (host.sharesFiles !== true && host.bringsShell === true),
    runs,
    sweeper,
    artifacts,
    approvals: openApprovals({ stateDirectory, session: key }),
    schema: profile.inputSchema(options),
    schemes: knownSchemes({
      ...{ urls, localDirectory: session.localDirectory, artifacts: filesOf(artifacts, shown) },
      elsewhere: sees === 'none' ? host.name : null,
    }),
    judge,
    environments,
    room: new JobRoom({ store, session: key, runs: listRuns, isWaitedFor, maxJobs: async.maxJobs }),
    jobs,
    teller,
    store,
    waits: new Waits(),
    terminals: new Turns(),
    journal: new Journal(stateDirectory),
    shell,
    sessionShell,
    prepareShells,
    close: async () => {
      teller.close();
      // One that was given is the caller's to close.
      if (isOwn) await host.close();
      shown?.close();
      await sweeper.idle();
    },
  };
}

function shellOf({ shellPath, shellPathSource, inheritedEnv }: ResolvedOptions): string {
  const configured = shellPath === null ? null : { path: shellPath, source: shellPathSource };
  return findShell({ configured, searchPath: inheritedEnv.PATH ?? '' });
}

function maskOf(options: ResolvedOptions): Mask {
  const { maskValues } = makeEnvironment({ options, profile: profiles[options.profile], call: {} });
  return createMask(maskValues);
}

function filesOf(artifacts: Artifacts, shown: ShownArtifacts | null): ArtifactFiles {
  const find = (name: string): readonly string[] | null => {
    try {
      return artifacts.paths(name);
    } catch {
      return null;
    }
  };
  return {
    paths: (name) => {
      const paths = find(name);
      return paths === null || shown === null ? paths : shown.show(paths);
    },
    ids: () => artifacts.list().map(({ id }) => id),
  };
}
