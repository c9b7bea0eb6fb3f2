import type { Mask } from '../../../engine/output/mask.ts';
import type { RunStore } from '../../../engine/run/record/store.ts';
import type { WaitCondition, WaitHold } from '../../../engine/watch/runs/wait-condition.ts';
import { waitForRuns } from '../../../engine/watch/runs/wait-for-runs.ts';
import { NacreError } from '../../../errors.ts';
import { toPattern } from '../acting/pattern.ts';
import type { ReadyCondition } from './service.ts';

/** How a wait for a service ended. `over`: it ended itself before it was ready. */
export type Readiness =
  | { readonly kind: 'ready'; readonly because: string }
  | { readonly kind: 'over' | 'time' | 'aborted' }
  /** Nobody can tell, and why. */
  | { readonly kind: 'unclear'; readonly because: string };

export interface ReadyOptions {
  readonly store: RunStore;
  readonly mask: Mask;
  /** Left out: as long as it takes. */
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal;
}

/** Waits until a service is ready: by its log, by its port, by both where both are wanted. */
export async function waitUntilReady(
  run: string,
  ready: ReadyCondition,
  options: ReadyOptions,
): Promise<Readiness> {
  try {
    return await waitForAll(run, ready, options);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return { kind: 'unclear', because: error.message };
  }
}

async function waitForAll(run: string, ready: ReadyCondition, options: ReadyOptions): Promise<Readiness> {
  const { store, mask, signal, timeoutMs } = options;
  const startedAt = performance.now();
  const reasons: string[] = [];
  for (const condition of toConditions(run, ready)) {
    const left = timeoutMs === null ? null : Math.max(0, timeoutMs - (performance.now() - startedAt));
    const limit = left === null ? {} : { timeoutMs: left };
    const result = await waitForRuns([condition], { store, mask, signal, ...limit });
    if (result.kind === 'never') return { kind: 'over' };
    if (result.kind !== 'held') return { kind: result.kind };
    reasons.push(...result.held.map(renderHold));
  }
  return { kind: 'ready', because: reasons.join(', ') };
}

function toConditions(run: string, { log, port }: ReadyCondition): WaitCondition[] {
  const conditions: WaitCondition[] = [];
  if (log !== null) conditions.push({ kind: 'output', run, pattern: toPattern(log, 'service.ready.log') });
  if (port !== null) conditions.push({ kind: 'port', run, port });
  return conditions;
}

function renderHold(hold: WaitHold): string {
  if (hold.kind === 'port') return `port ${hold.port} answers`;
  return hold.kind === 'output' ? `it printed ${JSON.stringify(hold.line)}` : 'it ended';
}
