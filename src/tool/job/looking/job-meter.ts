import type { Mask } from '../../../engine/output/mask.ts';
import type { StoredRun } from '../../../engine/run/record/store.ts';
import type { ProcessStat } from '../../../engine/run/tree/proc.ts';
import {
  findListeningPorts,
  type ListeningSockets,
  readListeningSockets,
} from '../../../engine/watch/ports/listening.ts';
import { UsageMeter } from '../../../engine/watch/usage/usage-meter.ts';
import type { WaitingForInput } from '../../result.ts';
import { isLive } from '../../runs/job-info.ts';
import { membersOfAll } from './all-members.ts';
import { toWaitingForInput } from './input-wait.ts';
import { readLastLine } from './last-line.ts';

/** How a job is doing at this moment. */
export interface JobLook {
  /** Processors kept busy since the last look: 1 is one of them, all the time. `null` at the first look. */
  readonly cpu: number | null;
  /** Computed so far by those who live and by the children they have waited for. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** On which it takes connections, lowest first. */
  readonly ports: readonly number[];
  /** What it printed last, also where the line is not finished. */
  readonly lastLine: string;
  readonly waitingForInput: WaitingForInput | null;
}

/** Looks at jobs, again and again: what they use is measured from one look to the next. */
export class JobMeter {
  readonly #mask: Mask;
  #meters = new Map<string, UsageMeter>();

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  look(runs: readonly StoredRun[]): ReadonlyMap<string, JobLook> {
    const live = runs.filter(isLive);
    const members = membersOfAll(live);
    const sockets = live.length === 0 ? new Map() : readListeningSockets();
    const looks = runs.map(
      (run) => [run.id, this.#lookAt(run, { members: members.get(run.id) ?? [], sockets })] as const,
    );
    const ids = new Set(live.map(({ id }) => id));
    this.#meters = new Map([...this.#meters].filter(([id]) => ids.has(id)));
    return new Map(looks);
  }

  #lookAt(
    run: StoredRun,
    { members, sockets }: { members: readonly ProcessStat[]; sockets: ListeningSockets },
  ): JobLook {
    const pids = members.map(({ pid }) => pid);
    const usage = pids.length === 0 ? null : this.#meterOf(run.id).look(pids);
    const ports = new Set(findListeningPorts(pids, sockets).map(({ port }) => port));
    const lastLine = readLastLine({ directory: run.directory, stream: 'out' }).trimEnd();
    return {
      cpu: usage?.cpu ?? null,
      cpuSeconds: usage?.cpuSeconds ?? 0,
      memoryBytes: usage?.residentBytes ?? 0,
      processes: usage?.processes ?? 0,
      ports: [...ports],
      lastLine: this.#mask.applyUnfinished(lastLine),
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
