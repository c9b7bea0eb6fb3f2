import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../../engine/run/files.ts';
import { NewRuns } from '../../../engine/run/record/new-runs.ts';
import type { RunStore, StoredRun } from '../../../engine/run/record/store.ts';
import type { IndexedRun } from '../../runs/index-file.ts';
import { isJob } from '../../runs/job-info.ts';
import { isTold, type Lease } from './told.ts';

export interface HeritageOptions {
  readonly store: RunStore;
  readonly session: string;
  /** All runs there are, of every session. */
  readonly runs: () => readonly IndexedRun[];
  readonly lease: Lease;
}

/** A run that ended longer ago has had its last word. */
const SETTLED_MS = 60_000;

/** A directory without a record is one that is being made, unless it is older. */
const BIRTH_MS = 10_000;

/**
 * Jobs of the session whose end is to be told by us because nobody else is left to do it.
 *
 * Whoever started one may die at any time, and a run may become a job only by that; so what cannot be decided is looked at again.
 */
export class Heritage {
  readonly #options: HeritageOptions;
  readonly #newRuns: NewRuns;
  readonly #undecided = new Set<string>();
  #isFirst = true;

  constructor(options: HeritageOptions) {
    this.#options = options;
    this.#newRuns = new NewRuns(options.store);
  }

  /** Those that have become ours since the last look. */
  look(): readonly string[] {
    this.#findNew();
    const found: string[] = [];
    for (const id of this.#undecided) {
      const verdict = this.#decide(id);
      if (verdict === 'open') continue;
      this.#undecided.delete(id);
      if (verdict === 'ours') found.push(id);
    }
    return found;
  }

  #findNew(): void {
    const { runs, session } = this.#options;
    const fresh = this.#newRuns.look();
    // The first time there may be thousands, most of them long over: a list knows that without looking at each.
    const ids = this.#isFirst ? runs().flatMap((run) => (isOpen(run, session) ? run.info.id : [])) : fresh;
    this.#isFirst = false;
    for (const id of ids) this.#undecided.add(id);
  }

  #decide(id: string): 'ours' | 'settled' | 'open' {
    const { store, session, lease } = this.#options;
    const directory = store.directoryOf(id);
    if (isTold(directory)) return 'settled';
    const run = store.find(id);
    if (run === null) return isYoung(directory) ? 'open' : 'settled';
    // Our own are told by whoever started them here.
    if (run.asked.session !== session || run.asked.teller === lease.mark) return 'settled';
    if (!isJob(run) || !isOwed(run)) return store.isAttended(run) ? 'open' : 'settled';
    return lease.take(directory, run.asked.teller) ? 'ours' : 'open';
  }
}

/** What a call that got its result left behind is not: its end was told then. */
function isOwed({ asked, state, directory }: StoredRun): boolean {
  if (asked.background === true || existsSync(join(directory, RUN_FILES.log))) return true;
  return state.kind === 'running' || state.callerGone;
}

function isOpen({ info, isJob: isOne }: IndexedRun, session: string): boolean {
  if (info.session !== session) return false;
  return isOne || info.endedAt === null || Date.now() - info.endedAt < SETTLED_MS;
}

function isYoung(directory: string): boolean {
  return Date.now() - (statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0) < BIRTH_MS;
}
