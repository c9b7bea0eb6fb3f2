import { readFileSync, rmSync } from 'node:fs';
import type { RunRequest, ShellDumpTexts } from '../../engine/hosts/host.ts';
import { mergeShellChange } from '../../engine/shell/merge-shell-state.ts';
import { parseShellDump, type ShellDump } from '../../engine/shell/shell-dump.ts';
import type { ShellState } from '../../engine/shell/shell-state.ts';
import type { ShellStateStore } from '../../engine/shell/shell-state-store.ts';
import type { CallOutcome, StateReset } from '../contract/result.ts';

/** How the session's shell is restored and saved around one call. */
export interface ShellPlan extends Pick<RunRequest, 'baseEnvironment' | 'preamble' | 'atExit' | 'shellMark'> {
  /** `none`: the command cannot change its shell, or its changes are not saved. */
  readonly stateSaving: 'none' | 'dump' | 'own_trap' | 'wider';
  /** Files for the dumps before and after the command; empty when the host returns the dumps. */
  readonly before: string;
  readonly after: string;
  /** Previous directory, when a leading `cd` was removed from the command; else `null`. */
  readonly movedFrom: string | null;
  /** Definitions of the session that the command uses; `null` when the session's state is not restored. */
  readonly definitions: string | null;
  readonly callNames: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** Plan for a fresh shell whose state is not saved. */
export const FRESH_SHELL_PLAN: ShellPlan = {
  baseEnvironment: null,
  preamble: '',
  atExit: '',
  stateSaving: 'none',
  before: '',
  after: '',
  movedFrom: null,
  definitions: null,
  callNames: new Set(),
  notes: [],
};

const RESET_REASONS: Readonly<Record<StateReset, string>> = {
  timed_out: 'the command timed out',
  aborted: 'the command was aborted',
  signaled: 'the command was ended by a signal',
  lost: 'the exit status of the command is unknown',
  replaced: 'the command replaced its shell (exec) or the EXIT trap, or its state could not be read',
  own_trap: 'the command sets an EXIT or DEBUG trap, or lists its traps',
  overlapped: 'another call of this session was running',
  wider: 'the command ran in a wider sandbox, with a shell of its own',
  job: 'the command continues as a job',
};

/** Renders the note that says why the changes of a call were not saved. */
function renderStateReset(reason: StateReset): string {
  return `The session's directory, variables and functions are as they were before this call: ${RESET_REASONS[reason]}.`;
}

/** Result of a call, as far as the session's shell needs to know it. */
interface ShellCallEnd {
  readonly outcome: CallOutcome;
  /** Directory in which the command started. */
  readonly cwd: string;
  readonly secrets: readonly string[];
  /** Dumps that the host returned. */
  readonly shell: ShellDumpTexts | undefined;
}

/** Effect of a call on the session's shell, with notes for the result. */
interface ShellCallResult {
  readonly stateReset: StateReset | null;
  readonly notes: readonly string[];
}

/** One call that may change the state of a session's shell. */
export class ShellCall {
  readonly #store: ShellStateStore;
  readonly #plan: ShellPlan;
  readonly #unlock: (() => void) | null;

  /** `unlock` releases the lock on the session's state; `null` when this call does not hold it. */
  constructor(store: ShellStateStore, plan: ShellPlan, unlock: (() => void) | null = null) {
    this.#store = store;
    this.#plan = plan;
    this.#unlock = unlock;
  }

  /** Saves the changes of a command that has exited, or reports why they are not saved. */
  finish(end: ShellCallEnd): ShellCallResult {
    try {
      return this.#applyChanges(end);
    } finally {
      this.release();
    }
  }

  /** Gives up saving because the command continues as a job. */
  moveToJob(): ShellCallResult {
    this.release();
    return this.#changesNothing ? NO_STATE_CHANGE : toStateReset('job');
  }

  /** Releases the lock and deletes the dump files. */
  release(): void {
    this.#unlock?.();
    if (this.#plan.before === '') return;
    for (const file of [this.#plan.before, this.#plan.after]) rmSync(file, { force: true });
  }

  get #changesNothing(): boolean {
    return this.#plan.stateSaving === 'none' && this.#plan.movedFrom === null;
  }

  #applyChanges(end: ShellCallEnd): ShellCallResult {
    const { stateSaving } = this.#plan;
    const { status } = end.outcome;
    if (this.#changesNothing) return NO_STATE_CHANGE;
    if (status !== 'exited')
      return toStateReset(status === 'running' || status === 'refused' ? 'lost' : status);
    if (stateSaving === 'own_trap' || stateSaving === 'wider') return toStateReset(stateSaving);
    if (stateSaving === 'none') return this.#save(this.#stateAfterMove(end.cwd), []);
    const { before, after } = this.#readDumps(end.shell);
    if (before === null || after === null) return toStateReset('replaced');
    const { callNames } = this.#plan;
    const base = this.#stateAfterMove(end.cwd);
    const { state, secretVariables, reservedNames } = mergeShellChange(base, {
      before,
      after,
      callNames,
      secrets: end.secrets,
    });
    return this.#save(state, [
      ...renderNotKept(secretVariables, 'secrets are not stored'),
      ...renderNotKept(reservedNames, 'reserved words of the shell'),
    ]);
  }

  #readDumps(returned: ShellDumpTexts | undefined): Record<'before' | 'after', ShellDump | null> {
    if (returned === undefined)
      return { before: readShellDump(this.#plan.before), after: readShellDump(this.#plan.after) };
    const { before, after } = returned;
    return { before: parseShellDump(before ?? ''), after: parseShellDump(after ?? '') };
  }

  /** A leading `cd` that was removed from the command counts as done. */
  #stateAfterMove(cwd: string): ShellState {
    const { state } = this.#store.load();
    const { movedFrom } = this.#plan;
    return movedFrom === null ? state : { ...state, cwd, oldCwd: movedFrom };
  }

  #save(state: ShellState, notes: readonly string[]): ShellCallResult {
    if (state === this.#store.load().state) return { stateReset: null, notes };
    if (this.#unlock === null) return toStateReset('overlapped');
    this.#store.save(state);
    return { stateReset: null, notes };
  }
}

function renderNotKept(names: readonly string[], why: string): string[] {
  return names.length === 0 ? [] : [`Not kept for the next call: ${names.join(', ')} (${why}).`];
}

const NO_STATE_CHANGE: ShellCallResult = { stateReset: null, notes: [] };

function toStateReset(reason: StateReset): ShellCallResult {
  return { stateReset: reason, notes: [renderStateReset(reason)] };
}

function readShellDump(file: string): ShellDump | null {
  try {
    return parseShellDump(readFileSync(file, 'latin1'));
  } catch {
    return null;
  }
}
