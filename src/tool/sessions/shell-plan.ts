import type { RunRequest } from '../../engine/hosts/host.ts';

/** Why a session's shell is still what it was before a call. */
export type StateReset =
  | 'timed_out'
  | 'aborted'
  | 'signaled'
  | 'lost'
  | 'replaced'
  | 'own_trap'
  | 'overlapped'
  | 'wider'
  | 'job';

/** What the session's shell means for one call. */
export interface ShellPlan extends Pick<RunRequest, 'ground' | 'preamble' | 'atExit' | 'shellMark'> {
  /** `none`: the command cannot change its shell, or nothing is kept anyway. */
  readonly keeping: 'none' | 'written_down' | 'own_trap' | 'wider';
  /** The files in which a shell is written down: at its beginning and at its end. Empty where the host brings them along. */
  readonly before: string;
  readonly after: string;
  /** Where the session was when the command began with a `cd` that was taken off; `null` when it did not. */
  readonly movedFrom: string | null;
  readonly callNames: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** A shell of its own, that nobody asks about afterwards. */
export const NEW_SHELL: ShellPlan = {
  ground: null,
  preamble: '',
  atExit: '',
  keeping: 'none',
  before: '',
  after: '',
  movedFrom: null,
  callNames: new Set(),
  notes: [],
};

const REASONS: Readonly<Record<StateReset, string>> = {
  timed_out: 'the command timed out',
  aborted: 'the command was aborted',
  signaled: 'the command was ended by a signal',
  lost: 'the end of the command was not seen',
  replaced:
    'the command replaced its shell (exec) or took the trap at its end, or what it left could not be read',
  own_trap: 'the command sets a trap for its end or for every step, or lists its traps',
  overlapped: 'another call of this session was running',
  wider: 'the command ran in a wider sandbox, with a shell of its own',
  job: 'the command goes on as a job',
};

/** What is said of it, beside the output. */
export function renderReset(reason: StateReset): string {
  return `The session's directory, variables and functions are as they were before this call: ${REASONS[reason]}.`;
}
