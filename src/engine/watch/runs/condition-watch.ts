import type { Mask } from '../../output/mask.ts';
import type { StoredRun } from '../../run/record/store.ts';
import { answersOn } from '../ports/answers-on.ts';
import { findListeningPorts } from '../ports/listening.ts';
import { LinePattern } from './line-pattern.ts';
import { OutputScan } from './output-scan.ts';
import type { WaitCondition, WaitHold, WaitLapse } from './wait-condition.ts';

/** What one look at the runs is made with. */
interface WaitLook {
  /** The same answer to everybody, from before anything else was looked at. */
  readonly find: (run: string) => StoredRun | null;
  readonly signal: AbortSignal;
}

/** Watches one condition; `null` while it neither holds nor never will. */
export type ConditionWatch = (look: WaitLook) => Promise<WaitHold | WaitLapse | null>;

type Of<Kind> = Extract<WaitCondition, { kind: Kind }> & { readonly index: number };

/** After the end is on record, a reader may still be writing down the last bytes, and who was left behind. */
const SETTLE_MS = 300;
/** What a run's own record of the time is good for: it is in whole seconds. */
const LONG_AGO_MS = 2000;

export function watchCondition(
  condition: WaitCondition,
  { index, mask }: { index: number; mask: Mask },
): ConditionWatch {
  if (condition.kind === 'ended') return watchEnd({ ...condition, index });
  if (condition.kind === 'output') return watchOutput({ ...condition, index }, mask);
  return watchPort({ ...condition, index });
}

function watchEnd({ run, index: condition }: Of<'ended'>): ConditionWatch {
  return async ({ find }) => {
    const found = find(run);
    if (found === null) return { kind: 'lapsed', condition, why: 'missing' };
    return found.state.kind === 'ended' ? { kind: 'ended', condition, run: found } : null;
  };
}

function watchOutput({ run, index: condition, ...wanted }: Of<'output'>, mask: Mask): ConditionWatch {
  const pattern = new LinePattern(wanted.pattern, mask);
  const isOver = createOverCheck();
  let scan: OutputScan | undefined;
  return async ({ find, signal }) => {
    const found = find(run);
    if (found === null) return { kind: 'lapsed', condition, why: 'missing' };
    // Before the look: what was printed until then is seen by it.
    const over = isOver(found);
    const place = { directory: found.directory, stream: wanted.stream ?? 'out' };
    scan ??= new OutputScan({ place, pattern, from: wanted.from ?? 0 });
    const match = await scan.look(signal);
    if (match !== null) return { kind: 'output', condition, ...match };
    return over ? { kind: 'lapsed', condition, why: 'ended' } : null;
  };
}

function watchPort({ run, index: condition, ...wanted }: Of<'port'>): ConditionWatch {
  const isOver = createOverCheck();
  return async ({ find, signal }) => {
    const found = run === undefined ? undefined : find(run);
    if (found === null) return { kind: 'lapsed', condition, why: 'missing' };
    const over = found !== undefined && isOver(found);
    if (await isReady(wanted, signal)) return { kind: 'port', condition, port: wanted.port };
    return over ? { kind: 'lapsed', condition, why: 'ended' } : null;
  };
}

type WantedPort = Pick<Of<'port'>, 'port' | 'host' | 'owners'>;

async function isReady(
  { port, host, owners }: WantedPort,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const answers = await answersOn(port, { host, signal });
  return answers && (owners === undefined || findListeningPorts(owners()).some((each) => each.port === port));
}

/** Whether nothing more will come of a run: it has ended, nobody was left behind, and all is on record. */
function createOverCheck(): (run: StoredRun) => boolean {
  let endSeenAt: number | undefined;
  return ({ state }) => {
    if (state.kind !== 'ended' || state.behind.length > 0) {
      endSeenAt = undefined;
      return false;
    }
    endSeenAt ??= performance.now();
    return performance.now() - endSeenAt >= SETTLE_MS || Date.now() - state.endedAt >= LONG_AGO_MS;
  };
}
