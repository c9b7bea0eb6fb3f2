import type { SecretMask } from '../../engine/output/secret-mask.ts';
import { type ProcessStat, ProcReader } from '../../engine/process/proc-reader.ts';
import { ProcessSnapshot } from '../../engine/process/process-scanner.ts';
import { toRunIdentity } from '../../engine/process/process-tree.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import { processTreeRootOf } from '../../engine/run/stop-run.ts';
import { findListeningPorts, type ListeningSockets, readListeningSockets } from '../../engine/watch/ports.ts';
import { UsageMeter } from '../../engine/watch/usage-meter.ts';
import type { WaitingForInput } from '../contract/result.ts';
import { readLastLine, toWaitingForInput } from './input-wait.ts';
import { hasLiveProcesses } from './job-info.ts';

/** Resource usage and activity of a job at one moment. */
export interface JobLook {
  /** CPUs used since the previous measurement (1 = one CPU all the time); `null` at the first one. */
  readonly cpu: number | null;
  /** CPU time of the live processes and of the children they have waited for. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Listening ports, lowest first. */
  readonly ports: readonly number[];
  /** Last line of the output, complete or not. */
  readonly lastLine: string;
  readonly waitingForInput: WaitingForInput | null;
}

/** Measures jobs repeatedly; CPU usage is relative to the previous measurement. */
export class JobMeter {
  readonly #mask: SecretMask;
  #meters = new Map<string, UsageMeter>();

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  measure(runs: readonly StoredRun[]): ReadonlyMap<string, JobLook> {
    const live = runs.filter(hasLiveProcesses);
    const members = findMembersOfRuns(live);
    const sockets = live.length === 0 ? new Map() : readListeningSockets();
    const measured = runs.map(
      (run) => [run.id, this.#measureRun(run, { members: members.get(run.id) ?? [], sockets })] as const,
    );
    const ids = new Set(live.map(({ id }) => id));
    this.#meters = new Map([...this.#meters].filter(([id]) => ids.has(id)));
    return new Map(measured);
  }

  #measureRun(
    run: StoredRun,
    { members, sockets }: { members: readonly ProcessStat[]; sockets: ListeningSockets },
  ): JobLook {
    const pids = members.map(({ pid }) => pid);
    const usage = pids.length === 0 ? null : this.#meterOf(run.id).measure(pids);
    const ports = new Set(findListeningPorts(pids, sockets).map(({ port }) => port));
    const lastLine = readLastLine({ directory: run.directory, stream: 'out' }).trimEnd();
    return {
      cpu: usage?.cpu ?? null,
      cpuSeconds: usage?.cpuSeconds ?? 0,
      memoryBytes: usage?.residentBytes ?? 0,
      processes: usage?.processes ?? 0,
      ports: [...ports],
      lastLine: this.#mask.applyToPartialText(lastLine),
      waitingForInput: pids.length === 0 ? null : toWaitingForInput(run, members),
    };
  }

  #meterOf(id: string): UsageMeter {
    let meter = this.#meters.get(id);
    if (meter === undefined) {
      meter = new UsageMeter();
      this.#meters.set(id, meter);
    }
    return meter;
  }
}

/** The processes of many runs, found in one scan. */
function findMembersOfRuns(runs: readonly StoredRun[]): ReadonlyMap<string, readonly ProcessStat[]> {
  if (runs.length === 0) return new Map();
  const proc = new ProcReader();
  const snapshot = ProcessSnapshot.capture(proc, { above: 0, also: [] });
  return new Map(
    runs.map((run) => {
      const root = processTreeRootOf(run);
      return [run.id, root === null ? [] : snapshot.membersOf(toRunIdentity(root, proc))];
    }),
  );
}
