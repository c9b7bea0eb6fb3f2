import { createClientHost } from '../../engine/hosts/client-terminal-host.ts';
import { createSecretMask, type SecretMask } from '../../engine/output/secret-mask.ts';
import { RunStore } from '../../engine/run/run-store.ts';
import { findShell } from '../../engine/shell/find-shell.ts';
import { once } from '../../engine/text/once.ts';
import type { Approvals } from '../approvals/open-approvals.ts';
import { openApprovals } from '../approvals/open-approvals.ts';
import { openHost } from '../hosts/open-host.ts';
import type { Artifacts } from '../jobs/artifacts.ts';
import { createArtifacts } from '../jobs/artifacts.ts';
import { InstanceRuns, PendingWaits, SerialQueue } from '../jobs/instance-runs.ts';
import { JobEndNotifier } from '../jobs/job-end-notifier.ts';
import { JobLimiter } from '../jobs/job-limiter.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { createJobs } from '../jobs/jobs.ts';
import type { IndexedRun } from '../jobs/run-index.ts';
import { RunIndex } from '../jobs/run-index.ts';
import { RunSweeper } from '../jobs/run-sweeper.ts';
import { Journal } from '../journal/journal.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { profiles } from '../profiles/profiles.ts';
import { createSession } from '../sessions/session.ts';
import { openSessionShell } from '../sessions/session-shell.ts';
import { SandboxArtifactLinks } from '../urls/sandbox-artifact-links.ts';
import type { ArtifactFiles } from '../urls/url-schemes.ts';
import { createUrlSchemes } from '../urls/url-schemes.ts';
import { buildCallEnvironment, EnvironmentCache } from './call-environment.ts';
import type { InstanceContext } from './context.ts';
import { createPolicyGate } from './policy-gate.ts';

/** All resources of one bash tool. */
export interface BashInstance extends InstanceContext {
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  readonly approvals: Approvals;
  close(): Promise<void>;
}

export function createInstance(given: ResolvedOptions): BashInstance {
  const { stateDirectory, session: key, async, urls, onJobEnd } = given;
  const session = createSession(key, stateDirectory);
  const {
    host: base,
    isOwn,
    remoteDirectory,
    visibleFiles,
  } = openHost(given, {
    localDirectory: session.localDirectory,
    sandboxArtifactsDirectory: session.sandboxArtifactsDirectory,
    session: key,
  });
  // Client terminals run on this machine, so they must not replace a sandbox or a remote host.
  const { clientTerminals } = given;
  const host =
    clientTerminals === null || base.name !== 'local' ? base : createClientHost(clientTerminals, base);
  // A remote host has its own directories and variables.
  const options = remoteDirectory === null ? given : { ...given, cwd: remoteDirectory, inheritedEnv: {} };
  const profile = profiles[options.profile];
  const store = new RunStore(stateDirectory);
  const runs = new InstanceRuns(options.jobsAtExit);
  const mask = once(() => createInstanceMask(given));
  const shell = once(() => resolveShellPath(given));
  const artifacts = createArtifacts({ store, session: key, mask });
  const index = new RunIndex(store, stateDirectory);
  const sweeper = new RunSweeper({ store, index }, options);
  const isForeground = (id: string): boolean => runs.isForeground(id);
  const listRuns = (): readonly IndexedRun[] => index.list();
  const jobs = createJobs({ store, index, session: key, mask, isForeground });
  const jobEndNotifier = new JobEndNotifier({ store, session: key, runs: listRuns, mask, onJobEnd });
  const links = visibleFiles === 'shown' ? new SandboxArtifactLinks(session.sandboxArtifactsDirectory) : null;
  const policyGate = createPolicyGate(options, shell);
  const environments = new EnvironmentCache({ options, profile });
  const sessionShell = openSessionShell(session, options, { host, shell });
  const refillShellPool = (): void =>
    host.prepare?.(() => ({
      shell: shell(),
      cwd: options.cwd,
      env: environments.get({}).env,
      streams: profile.streams,
      baseEnvironment: sessionShell?.baseEnvironment ?? null,
    }));
  refillShellPool();
  return {
    options,
    profile,
    session,
    host,
    isSandboxedOrRemote: remoteDirectory !== null || (host.sharesFiles !== true && host.bringsShell === true),
    instanceRuns: runs,
    sweeper,
    artifacts,
    approvals: openApprovals({ stateDirectory, session: key }),
    schema: profile.inputSchema(options),
    schemes: createUrlSchemes({
      urls,
      localDirectory: session.localDirectory,
      artifacts: createArtifactFiles(artifacts, links),
      remoteHostName: visibleFiles === 'none' ? host.name : null,
    }),
    policyGate,
    environments,
    jobLimiter: new JobLimiter({
      store,
      session: key,
      runs: listRuns,
      isForeground,
      maxJobs: async.maxJobs,
    }),
    jobs,
    jobEndNotifier,
    store,
    pendingWaits: new PendingWaits(),
    terminalQueue: new SerialQueue(),
    journal: new Journal(stateDirectory),
    shell,
    sessionShell,
    refillShellPool,
    close: async () => {
      jobEndNotifier.close();
      // A host given as an option belongs to the caller.
      if (isOwn) await host.close();
      links?.close();
      await sweeper.whenIdle();
    },
  };
}

function resolveShellPath({ shellPath, inheritedEnv }: ResolvedOptions): string {
  const configured = shellPath === null ? null : { path: shellPath, source: 'the option shellPath' };
  return findShell({ configured, searchPath: inheritedEnv.PATH ?? '' });
}

function createInstanceMask(options: ResolvedOptions): SecretMask {
  const { maskValues } = buildCallEnvironment({ options, profile: profiles[options.profile], call: {} });
  return createSecretMask(maskValues);
}

function createArtifactFiles(artifacts: Artifacts, links: SandboxArtifactLinks | null): ArtifactFiles {
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
      return paths === null || links === null ? paths : links.link(paths);
    },
    ids: () => artifacts.list().map(({ id }) => id),
  };
}
