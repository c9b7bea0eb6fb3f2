import type { Run } from '../../engine/hosts/host.ts';
import type { Plan } from '../planning/plan.ts';
import type { CallContext } from './context.ts';

/** What may end a wait before the run ends. */
export interface Patience {
  /** How long to wait; `null`: as long as it takes. */
  readonly ms: number | null;
  /** What is to be said about a wait that could not end. */
  readonly notes: readonly string[];
  /** Makes the run a job. `false`: there is no room for one more, so the wait goes on. */
  leave(): boolean;
  /** Calls back when there is another reason to leave. What it returns forgets about it. */
  watch(leave: () => void): () => void;
}

/** The patience of a call; `null` where nothing but its end ends the wait. */
export function createPatience(started: { plan: Plan; run: Run }, context: CallContext): Patience | null {
  const { profile, options, room, runs, waits } = context;
  const { plan, run } = started;
  if (profile.background === null || !options.async.enabled) return null;
  // Who sits at a terminal sits there to the end.
  if (plan.run.terminal !== null || run.terminalId !== undefined) return null;
  const notes: string[] = [];
  return {
    ms: waitTime(plan),
    notes,
    leave: () => {
      if (!room.hasRoom()) {
        if (notes.length === 0) notes.push(room.fullNote());
        return false;
      }
      run.release();
      runs.letGo(run);
      return true;
    },
    watch: (leave) => {
      const forget = waits.add(leave);
      if (plan.run.input.kind !== 'open') return forget;
      // Who left its input open wants to hear when it is time to send something.
      const forgotten = new AbortController();
      import('./input-watch.ts')
        .then(({ watchForInput }) => watchForInput({ run, onWait: leave, signal: forgotten.signal }, context))
        // A help only: without it the call waits like any other.
        .catch(() => undefined);
      return () => {
        forget();
        forgotten.abort();
      };
    },
  };
}

/** A call whose limit is not longer than its wait ends at its limit. */
function waitTime({ request: { waitMs, timeLimit } }: Plan): number | null {
  if (waitMs === null || (timeLimit.ms !== null && timeLimit.ms <= waitMs)) return null;
  return waitMs;
}
