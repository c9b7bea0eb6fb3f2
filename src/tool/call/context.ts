import type { Host } from '../../engine/hosts/host.ts';
import type { RunStore } from '../../engine/run/run-store.ts';
import type { CallOptions } from '../contract/call-options.ts';
import type { InputSchema } from '../contract/input-schema.ts';
import type { InstanceRuns, PendingWaits, SerialQueue } from '../jobs/instance-runs.ts';
import type { JobEndNotifier } from '../jobs/job-end-notifier.ts';
import type { JobLimiter } from '../jobs/job-limiter.ts';
import type { RunSweeper } from '../jobs/run-sweeper.ts';
import type { Journal } from '../journal/journal.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionShell } from '../sessions/session-shell.ts';
import type { UrlSchemes } from '../urls/expand-urls.ts';
import type { EnvironmentCache } from './call-environment.ts';
import type { PolicyGate } from './policy-gate.ts';

/** Parts of an instance that a call uses. */
export interface InstanceContext {
  readonly options: ResolvedOptions;
  readonly profile: Profile;
  readonly schema: InputSchema;
  readonly session: Session;
  readonly schemes: UrlSchemes;
  readonly policyGate: PolicyGate;
  readonly environments: EnvironmentCache;
  readonly jobLimiter: JobLimiter;
  readonly instanceRuns: InstanceRuns;
  readonly sweeper: RunSweeper;
  readonly journal: Journal;
  readonly host: Host;
  /** Whether commands see other files than this machine's. */
  readonly isSandboxedOrRemote: boolean;
  readonly store: RunStore;
  readonly pendingWaits: PendingWaits;
  /** Admits one call at a time to the caller's terminal. */
  readonly terminalQueue: SerialQueue;
  readonly jobEndNotifier: JobEndNotifier;
  /** `null` when shell state is not kept between calls. */
  readonly sessionShell: SessionShell | null;
  /** Replaces warm shells after the start state of the next command changed. */
  readonly refillShellPool: () => void;
  /** Returns the path of bash; searches for it on the first call. */
  readonly shell: () => string;
}

/** An instance with the options of one call. */
export interface CallContext extends InstanceContext {
  readonly call: CallOptions;
  /** Trace context for the command's environment. */
  readonly traceVariables: Readonly<Record<string, string>>;
}
