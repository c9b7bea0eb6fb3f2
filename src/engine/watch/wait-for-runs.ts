import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_SECRET_MASK, type SecretMask } from '../output/secret-mask.ts';
import type { StreamName } from '../run/run-files.ts';
import type { RunStore, StoredRun } from '../run/run-store.ts';
import { MaskedLinePattern, type OutputMatch, OutputPatternSearch } from './output-pattern-search.ts';
import { acceptsConnections, findListeningPorts } from './ports.ts';

/** A condition on a stored run: it has ended, has printed something, or has opened a port. */
export type WaitCondition =
  | { readonly kind: 'ended'; readonly run: string }
  | {
      readonly kind: 'output';
      readonly run: string;
      /** A string is searched literally; a regular expression is applied to each line separately. */
      readonly pattern: string | RegExp;
      /** Byte offset to begin at. @default 0 */
      readonly from?: number;
      /** @default 'out' */
      readonly stream?: StreamName;
    }
  | {
      readonly kind: 'port';
      readonly port: number;
      /** @default both loopback addresses */
      readonly host?: string;
      /** The run that is expected to open the port. The condition lapses when this run is over. */
      readonly run?: string;
      /** The processes that may hold the port; without it any process may. */
      readonly owners?: () => readonly number[];
    };

/** A condition that is met. `condition` is its index in the list. */
export type MetCondition =
  | { readonly kind: 'ended'; readonly condition: number; readonly run: StoredRun }
  | ({ readonly kind: 'output'; readonly condition: number } & OutputMatch)
  | { readonly kind: 'port'; readonly condition: number; readonly port: number };

/** A condition that can no longer be met: its run is over or does not exist. */
interface LapsedCondition {
  readonly kind: 'lapsed';
  readonly condition: number;
  readonly why: 'ended' | 'missing';
}

/** How a wait ended. All conditions met at the last check are listed, in their order. */
export type WaitResult =
  | { readonly kind: 'held'; readonly held: readonly MetCondition[] }
  | { readonly kind: 'never'; readonly lapsed: readonly LapsedCondition[] }
  /** `part`: the timeout came before all existing output had been searched. */
  | { readonly kind: 'time'; readonly searched: 'all' | 'part' }
  | { readonly kind: 'aborted' };

/** Options of `waitForRuns`. */
export interface WaitOptions {
  readonly store: Pick<RunStore, 'find'>;
  /** Without it the wait lasts until a condition is met or none can be. 0 checks once. */
  readonly timeoutMs?: number;
  /** Ends the wait, never a run. */
  readonly signal?: AbortSignal;
  /** Applied to the output before it is searched. */
  readonly mask?: SecretMask;
}

const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;
/** The pause between two checks as a share of the elapsed time, up to the longest pause. */
const PAUSE_SHARE = 0.1;

/**
 * Waits until one of several conditions is met, the time is over, or none of them can be met any more.
 *
 * Only files are read, so the runs may belong to any process, and any number of callers may wait. It polls with
 * growing pauses: watching the files would wake the caller at every write.
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

/** Checks the open conditions repeatedly. */
class ConditionWait {
  readonly #options: StoppableOptions;
  readonly #lapsed: LapsedCondition[] = [];
  /** There are no conditions, only a timeout. */
  readonly #isTimeOnly: boolean;
  #checks: readonly ConditionCheck[];

  constructor(conditions: readonly WaitCondition[], options: StoppableOptions) {
    const { mask = NO_SECRET_MASK } = options;
    this.#options = options;
    this.#isTimeOnly = conditions.length === 0 && options.timeoutMs !== undefined;
    this.#checks = conditions.map((each, index) => createConditionCheck(each, { index, mask }));
  }

  /** `null`: keep waiting, unless the signal is aborted. */
  async check(): Promise<WaitResult | null> {
    const { store, signal } = this.#options;
    if (signal.aborted) return null;
    const find = findOnce(store);
    const verdicts = await Promise.all(this.#checks.map((check) => check({ find, signal })));
    const held = verdicts.filter(isMet);
    if (held.length > 0) return { kind: 'held', held };
    // An aborted check has not read everything, so it cannot find a lapsed condition.
    if (signal.aborted) return null;
    this.#lapsed.push(...verdicts.filter(isLapsed));
    this.#checks = this.#checks.filter((_, index) => verdicts[index] === null);
    return this.#checks.length > 0 || this.#isTimeOnly ? null : { kind: 'never', lapsed: this.#lapsed };
  }
}

type ConditionVerdict = MetCondition | LapsedCondition | null;

function isMet(verdict: ConditionVerdict): verdict is MetCondition {
  return verdict !== null && verdict.kind !== 'lapsed';
}

function isLapsed(verdict: ConditionVerdict): verdict is LapsedCondition {
  return verdict?.kind === 'lapsed';
}

/** Reads a run once per check, for all of its conditions. */
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

/** Resolves after the time or when the signal is aborted. */
async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** The input of one check. */
interface WaitPass {
  /** Returns the same state to all conditions, read before anything else. */
  readonly find: (run: string) => StoredRun | null;
  readonly signal: AbortSignal;
}

/** Checks one condition; `null` while it is neither met nor lapsed. */
type ConditionCheck = (pass: WaitPass) => Promise<MetCondition | LapsedCondition | null>;

type ConditionOfKind<Kind> = Extract<WaitCondition, { kind: Kind }> & { readonly index: number };

/** After the exit is recorded, a reader may still write the last bytes and the leftover processes. */
const SETTLE_MS = 300;
/** Recorded times are whole seconds, so this is the smallest age that is certain. */
const SETTLED_AGE_MS = 2000;

function createConditionCheck(
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
    // Taken before the search: output written until then is found by it.
    const over = isOver(found);
    const location = { directory: found.directory, stream: wanted.stream ?? 'out' };
    scan ??= new OutputPatternSearch({ location, pattern, from: wanted.from ?? 0 });
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

/** Whether a run can produce nothing more: it has ended, no process is left, and all output is written. */
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

/** However short the timeout, a search of the existing output may continue for this long. */
const SEARCH_OVERTIME_MS = 2000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Aborts a search when the caller aborts, or when it takes much longer than the timeout. */
class SearchDeadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    // Only one listener is added to the caller's signal; any number may listen to this one.
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
