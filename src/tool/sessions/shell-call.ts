import { readFileSync, rmSync } from 'node:fs';
import type { WrittenShell } from '../../engine/hosts/host.ts';
import { mergeChange } from '../../engine/shell/state/merge.ts';
import { readDump, type ShellDump } from '../../engine/shell/state/read-dump.ts';
import type { ShellState } from '../../engine/shell/state/shell-state.ts';
import type { StateLock } from '../../engine/shell/state/state-lock.ts';
import type { StateStore } from '../../engine/shell/state/state-store.ts';
import type { Outcome } from '../outcome/outcome.ts';
import { renderReset, type ShellPlan, type StateReset } from './shell-plan.ts';

/** How a call went, as far as its shell is concerned. */
export interface ShellEnd {
  readonly outcome: Outcome;
  /** Where the command began. */
  readonly cwd: string;
  readonly secrets: readonly string[];
  /** What the host brought along of it. */
  readonly shell: WrittenShell | undefined;
}

/** What is to be said of a session's shell after a call. */
export interface Settled {
  readonly stateReset: StateReset | null;
  readonly notes: readonly string[];
}

/** One call's part in a session's shell. */
export class ShellCall {
  readonly #store: StateStore;
  readonly #plan: ShellPlan;
  readonly #lock: StateLock | null;

  constructor(store: StateStore, plan: ShellPlan, lock: StateLock | null = null) {
    this.#store = store;
    this.#plan = plan;
    this.#lock = lock;
  }

  /** The command is over: what it changed is kept, or it is said why not. */
  settle(end: ShellEnd): Settled {
    try {
      return this.#settle(end);
    } finally {
      this.leave();
    }
  }

  /** The command goes on without the session. */
  toJob(): Settled {
    this.leave();
    return this.#changesNothing ? NOTHING_TO_SAY : reset('job');
  }

  /** Nothing of the call stays. */
  leave(): void {
    this.#lock?.release();
    if (this.#plan.before === '') return;
    for (const file of [this.#plan.before, this.#plan.after]) rmSync(file, { force: true });
  }

  get #changesNothing(): boolean {
    return this.#plan.keeping === 'none' && this.#plan.movedFrom === null;
  }

  #settle(end: ShellEnd): Settled {
    const { keeping } = this.#plan;
    const { status } = end.outcome;
    if (this.#changesNothing) return NOTHING_TO_SAY;
    if (status !== 'exited') return reset(status === 'running' || status === 'refused' ? 'lost' : status);
    if (keeping === 'own_trap' || keeping === 'wider') return reset(keeping);
    if (keeping === 'none') return this.#save(this.#moved(end.cwd), []);
    const { before, after } = this.#dumps(end.shell);
    if (before === null || after === null) return reset('replaced');
    const { callNames } = this.#plan;
    const base = this.#moved(end.cwd);
    const { state, kept, keywords } = mergeChange(base, { before, after, callNames, secrets: end.secrets });
    return this.#save(state, [
      ...notKept(kept, 'secrets are not written down'),
      ...notKept(keywords, 'the shell needs these words itself'),
    ]);
  }

  #dumps(brought: WrittenShell | undefined): Record<'before' | 'after', ShellDump | null> {
    if (brought === undefined)
      return { before: readShell(this.#plan.before), after: readShell(this.#plan.after) };
    const { before, after } = brought;
    return { before: readDump(before ?? ''), after: readDump(after ?? '') };
  }

  /** A `cd` that was taken off the command has been done all the same. */
  #moved(cwd: string): ShellState {
    const { state } = this.#store.load();
    const { movedFrom } = this.#plan;
    return movedFrom === null ? state : { ...state, cwd, oldCwd: movedFrom };
  }

  #save(state: ShellState, notes: readonly string[]): Settled {
    if (state === this.#store.load().state) return { stateReset: null, notes };
    if (this.#lock?.isHeld !== true) return reset('overlapped');
    this.#store.save(state);
    return { stateReset: null, notes };
  }
}

function notKept(names: readonly string[], why: string): string[] {
  return names.length === 0 ? [] : [`Not kept for the next call: ${names.join(', ')} (${why}).`];
}

const NOTHING_TO_SAY: Settled = { stateReset: null, notes: [] };

function reset(reason: StateReset): Settled {
  return { stateReset: reason, notes: [renderReset(reason)] };
}

function readShell(file: string): ShellDump | null {
  try {
    return readDump(readFileSync(file, 'latin1'));
  } catch {
    return null;
  }
}
