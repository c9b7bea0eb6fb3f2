import type { Host } from '../../engine/hosts/host.ts';
import type { RunStore } from '../../engine/run/record/store.ts';
import type { CallOptions } from '../call-options.ts';
import type { InputSchema } from '../input/schema.ts';
import type { Teller } from '../job/telling/teller.ts';
import type { Journal } from '../journal/journal.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Environments } from '../planning/environment.ts';
import type { Judge } from '../planning/judge.ts';
import type { Profile } from '../profiles/profile.ts';
import type { JobRoom } from '../runs/job-room.ts';
import type { OwnRuns } from '../runs/own-runs.ts';
import type { Sweeper } from '../runs/sweeper.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionShell } from '../sessions/session-shell.ts';
import type { Turns } from '../turns.ts';
import type { UrlSchemes } from '../urls/expand-urls.ts';
import type { Waits } from './waits.ts';

/** Everything of an instance that a call needs. */
export interface InstanceContext {
  readonly options: ResolvedOptions;
  readonly profile: Profile;
  readonly schema: InputSchema;
  readonly session: Session;
  readonly schemes: UrlSchemes;
  readonly judge: Judge;
  readonly environments: Environments;
  readonly room: JobRoom;
  readonly runs: OwnRuns;
  readonly sweeper: Sweeper;
  readonly journal: Journal;
  readonly host: Host;
  /** Whether the files that commands see are not this machine's. */
  readonly isElsewhere: boolean;
  readonly store: RunStore;
  readonly waits: Waits;
  /** Who has the terminal that the caller shows: one call at a time. */
  readonly terminals: Turns;
  readonly teller: Teller;
  /** `null` where every call has a shell that knows nothing of the one before. */
  readonly sessionShell: SessionShell | null;
  /** The next command starts from somewhere else than the last one: shells that wait for it should, too. */
  readonly prepareShells: () => void;
  /** Looked for once, and only when something is to run. */
  readonly shell: () => string;
}

/** The same for one call. */
export interface CallContext extends InstanceContext {
  readonly call: CallOptions;
  /** Variables that tell the command which span it belongs to. */
  readonly traceVariables: Readonly<Record<string, string>>;
}
