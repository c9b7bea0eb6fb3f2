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

/** Everything of an instance that a call needs. */
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
  /** Whether the files that commands see are not this machine's. */
  readonly isSandboxedOrRemote: boolean;
  readonly store: RunStore;
  readonly pendingWaits: PendingWaits;
  /** Who has the terminal that the caller shows: one call at a time. */
  readonly terminalQueue: SerialQueue;
  readonly jobEndNotifier: JobEndNotifier;
  /** `null` where every call has a shell that knows nothing of the one before. */
  readonly sessionShell: SessionShell | null;
  /** The next command starts from somewhere else than the last one: shells that wait for it should, too. */
  readonly refillShellPool: () => void;
  /** Looked for once, and only when something is to run. */
  readonly shell: () => string;
}

/** The same for one call. */
export interface CallContext extends InstanceContext {
  readonly call: CallOptions;
  /** Variables that tell the command which span it belongs to. */
  readonly traceVariables: Readonly<Record<string, string>>;
}
