import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_SECRET_MASK, type SecretMask } from '../output/secret-mask.ts';
import type { StreamName } from '../run/run-files.ts';
import type { RunStore, StoredRun } from '../run/run-store.ts';
import { MaskedLinePattern, type OutputMatch, OutputPatternSearch } from './output-pattern-search.ts';
import { acceptsConnections, findListeningPorts } from './ports.ts';

/** Something that may come to hold of a stored run. */
export type WaitCondition =
  | { readonly kind: 'ended'; readonly run: string }
  | {
      readonly kind: 'output';
      readonly run: string;
      /** A text is found as it stands; a pattern is tried on each line by itself. */
      readonly pattern: string | RegExp;
      /** The byte to begin with. @default 0 */
      readonly from?: number;
      /** @default 'out' */
      readonly stream?: StreamName;
    }
  | {
      readonly kind: 'port';
      readonly port: number;
      /** @default both addresses of the machine itself */
      readonly host?: string;
      /** Whose port it is: once this run is over, nobody will answer. */
      readonly run?: string;
      /** Who must hold the port for it to count; left out, anybody may. */
      readonly owners?: () => readonly number[];
    };

/** A condition that holds, by its place in the list. */
export type MetCondition =
  | { readonly kind: 'ended'; readonly condition: number; readonly run: StoredRun }
  | ({ readonly kind: 'output'; readonly condition: number } & OutputMatch)
  | { readonly kind: 'port'; readonly condition: number; readonly port: number };

/** A condition that cannot come to hold any more: its run is over, or there is no such run. */
export interface LapsedCondition {
  readonly kind: 'lapsed';
  readonly condition: number;
  readonly why: 'ended' | 'missing';
}

/** How a wait ended. All that held at the last look are named, in the order of the conditions. */
export type WaitResult =
  | { readonly kind: 'held'; readonly held: readonly MetCondition[] }
  | { readonly kind: 'never'; readonly lapsed: readonly LapsedCondition[] }
  /** `part`: the time was over before all the output there was had been searched. */
  | { readonly kind: 'time'; readonly searched: 'all' | 'part' }
  | { readonly kind: 'aborted' };

export interface WaitOptions {
  readonly store: Pick<RunStore, 'find'>;
  /** Left out, it waits until something holds, or nothing can. 0 is one look. */
  readonly timeoutMs?: number;
  /** Ends the wait, never a run. */
  readonly signal?: AbortSignal;
  /** What must not be found, nor told, in the output. */
  readonly mask?: SecretMask;
}

const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;
/** A wait is noticed late by this part of its length, up to the longest pause. */
const PAUSE_SHARE = 0.1;

/**
 * Waits until one of several conditions holds, the time is over, or none of them can hold any more.
 *
 * Nothing but what is on disk is asked, so it does not matter who started the runs, and any number may wait. It looks again and
 * again, ever less often; watching the files would be woken by every write of a run that prints much.
 */
export async function waitForRuns(
  conditions: readonly WaitCondition[],
  options: WaitOptions,
): Promise<WaitResult> {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const startedAt = performance.now();
  const stop = new SearchDeadline(timeoutMs, signal);
  const wait = new ConditionWait(conditions, { ...options, signal: stop.signal });
  try {
    for (;;) {
      const result = await wait.check();
      if (result !== null) return result;
      const elapsed = performance.now() - startedAt;
      if (stop.signal.aborted)
        return signal?.aborted ? { kind: 'aborted' } : { kind: 'time', searched: 'part' };
      if (elapsed >= timeoutMs) return { kind: 'time', searched: 'all' };
      await sleepUnlessAborted(Math.min(pauseAfter(elapsed), timeoutMs - elapsed), stop.signal);
    }
  } finally {
    stop.release();
  }
}

type StoppableOptions = WaitOptions & { readonly signal: AbortSignal };

/** One look after the other at what is still open. */
class ConditionWait {
  readonly #options: StoppableOptions;
  readonly #lapsed: LapsedCondition[] = [];
  /** There was nothing to wait for but the time. */
  readonly #isTimeOnly: boolean;
  #watches: readonly ConditionCheck[];

  constructor(conditions: readonly WaitCondition[], options: StoppableOptions) {
    const { mask = NO_SECRET_MASK } = options;
    this.#options = options;
    this.#isTimeOnly = conditions.length === 0 && options.timeoutMs !== undefined;
    this.#watches = conditions.map((each, index) => createConditionCheck(each, { index, mask }));
  }

  /** `null`: go on waiting, unless the signal was given. */
  async check(): Promise<WaitResult | null> {
    const { store, signal } = this.#options;
    if (signal.aborted) return null;
    const find = findOnce(store);
    const verdicts = await Promise.all(this.#watches.map((watch) => watch({ find, signal })));
    const held = verdicts.filter(isMet);
    if (held.length > 0) return { kind: 'held', held };
    // What was not looked at to its end says nothing.
    if (signal.aborted) return null;
    this.#lapsed.push(...verdicts.filter(isLapsed));
    this.#watches = this.#watches.filter((_, index) => verdicts[index] === null);
    return this.#watches.length > 0 || this.#isTimeOnly ? null : { kind: 'never', lapsed: this.#lapsed };
  }
}

type ConditionVerdict = MetCondition | LapsedCondition | null;

function isMet(verdict: ConditionVerdict): verdict is MetCondition {
  return verdict !== null && verdict.kind !== 'lapsed';
}

function isLapsed(verdict: ConditionVerdict): verdict is LapsedCondition {
  return verdict?.kind === 'lapsed';
}

/** Several conditions of a run are judged by one look at it. */
function findOnce(store: Pick<RunStore, 'find'>): (run: string) => StoredRun | null {
  const known = new Map<string, StoredRun | null>();
  return (run) => {
    let found = known.get(run);
    if (found === undefined) {
      found = store.find(run);
      known.set(run, found);
    }
    return found;
  };
}

function pauseAfter(elapsedMs: number): number {
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, elapsedMs * PAUSE_SHARE));
}

/** Resolves after the time, or when the signal is given. */
async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** What one look at the runs is made with. */
interface WaitPass {
  /** The same answer to everybody, from before anything else was looked at. */
  readonly find: (run: string) => StoredRun | null;
  readonly signal: AbortSignal;
}

/** Watches one condition; `null` while it neither holds nor never will. */
export type ConditionCheck = (look: WaitPass) => Promise<MetCondition | LapsedCondition | null>;

type ConditionOfKind<Kind> = Extract<WaitCondition, { kind: Kind }> & { readonly index: number };

/** After the end is on record, a reader may still be writing down the last bytes, and who was left behind. */
const SETTLE_MS = 300;
/** What a run's own record of the time is good for: it is in whole seconds. */
const SETTLED_AGE_MS = 2000;

export function createConditionCheck(
  condition: WaitCondition,
  { index, mask }: { index: number; mask: SecretMask },
): ConditionCheck {
  if (condition.kind === 'ended') return checkEnd({ ...condition, index });
  if (condition.kind === 'output') return checkOutput({ ...condition, index }, mask);
  return checkPort({ ...condition, index });
}

function checkEnd({ run, index: condition }: ConditionOfKind<'ended'>): ConditionCheck {
  return async ({ find }) => {
    const found = find(run);
    if (found === null) return { kind: 'lapsed', condition, why: 'missing' };
    return found.state.kind === 'ended' ? { kind: 'ended', condition, run: found } : null;
  };
}

function checkOutput(
  { run, index: condition, ...wanted }: ConditionOfKind<'output'>,
  mask: SecretMask,
): ConditionCheck {
  const pattern = new MaskedLinePattern(wanted.pattern, mask);
  const isOver = createRunOverCheck();
  let scan: OutputPatternSearch | undefined;
  return async ({ find, signal }) => {
    const found = find(run);
    if (found === null) return { kind: 'lapsed', condition, why: 'missing' };
    // Before the look: what was printed until then is seen by it.
    const over = isOver(found);
    const place = { directory: found.directory, stream: wanted.stream ?? 'out' };
    scan ??= new OutputPatternSearch({ place, pattern, from: wanted.from ?? 0 });
    const match = await scan.searchNew(signal);
    if (match !== null) return { kind: 'output', condition, ...match };
    return over ? { kind: 'lapsed', condition, why: 'ended' } : null;
  };
}

function checkPort({ run, index: condition, ...wanted }: ConditionOfKind<'port'>): ConditionCheck {
  const isOver = createRunOverCheck();
  return async ({ find, signal }) => {
    const found = run === undefined ? undefined : find(run);
    if (found === null) return { kind: 'lapsed', condition, why: 'missing' };
    const over = found !== undefined && isOver(found);
    if (await isPortReady(wanted, signal)) return { kind: 'port', condition, port: wanted.port };
    return over ? { kind: 'lapsed', condition, why: 'ended' } : null;
  };
}

type WantedPort = Pick<ConditionOfKind<'port'>, 'port' | 'host' | 'owners'>;

async function isPortReady(
  { port, host, owners }: WantedPort,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const answers = await acceptsConnections(port, { host, signal });
  return answers && (owners === undefined || findListeningPorts(owners()).some((each) => each.port === port));
}

/** Whether nothing more will come of a run: it has ended, nobody was left behind, and all is on record. */
function createRunOverCheck(): (run: StoredRun) => boolean {
  let endSeenAt: number | undefined;
  return ({ state }) => {
    if (state.kind !== 'ended' || state.leftoverPids.length > 0) {
      endSeenAt = undefined;
      return false;
    }
    endSeenAt ??= performance.now();
    return performance.now() - endSeenAt >= SETTLE_MS || Date.now() - state.endedAt >= SETTLED_AGE_MS;
  };
}

/** However short the time, so long may a look go on that reads all the output there is. */
const SEARCH_OVERTIME_MS = 2000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends a look at the caller's word, or when it takes far longer than there is time. */
export class SearchDeadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    // One listener at the caller's signal, however many listen here.
    setMaxListeners(0, this.#controller.signal);
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
    const limitMs = timeoutMs + SEARCH_OVERTIME_MS;
    if (limitMs <= MAX_TIMER_MS) this.#timer = setTimeout(this.#abort, limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
