import { readFileSync } from 'node:fs';
import {
  childPidsOf,
  descendantsOf,
  hasExited,
  type ProcessStat,
  ProcReader,
} from '../../process/proc-reader.ts';
import { RUN_ID_VARIABLE } from '../../process/process-scanner.ts';
import { LocalProcessTree, type ProcessTreeRoot } from '../../process/process-tree.ts';

/** The processes of a run inside a sandbox, as pids of the outer namespace. */
interface SandboxedRun {
  readonly init: number;
  readonly slotRunner: number;
  readonly command: number;
  /** Start time of the command. */
  readonly startTime: number;
  /** Ids of all live runs in the same sandbox, this one included. */
  readonly live: ReadonlySet<string>;
}

/**
 * Finds the processes of a run inside a sandbox.
 *
 * No process can leave the pid namespace, so all of them are descendants of its init. A process without a run
 * marker belongs to this run if no other run is live.
 */
export class SandboxProcessTree extends LocalProcessTree {
  readonly #root: ProcessTreeRoot;
  readonly #run: SandboxedRun;
  readonly #proc = new ProcReader();

  constructor(root: ProcessTreeRoot, run: SandboxedRun) {
    const startTimes = root.startTimes && { ...root.startTimes, command: run.startTime };
    super({ ...root, pid: run.command, startTimes });
    this.#root = root;
    this.#run = run;
  }

  /** No child of the slot runner, and no orphan that init has adopted. */
  override hasNoLeftovers(): boolean {
    const { init, slotRunner } = this.#run;
    return childPidsOf(slotRunner, this.#proc).length === 0 && childPidsOf(init, this.#proc).length <= 1;
  }

  override members(): ProcessStat[] {
    const { init, slotRunner, command } = this.#run;
    const all = descendantsOf(init, this.#proc).filter((stat) => !hasExited(stat));
    const own = new Set<number>();
    for (const stat of all) {
      const isOwn =
        (stat.pid === command && stat.parent === slotRunner) ||
        own.has(stat.parent) ||
        stat.group === command ||
        (stat.session === slotRunner && stat.pid !== slotRunner) ||
        this.#proc.variable(stat.pid, RUN_ID_VARIABLE) === this.#root.id ||
        (stat.parent === init && this.#isUnclaimed(stat));
      if (isOwn) own.add(stat.pid);
    }
    return all.filter(({ pid }) => own.has(pid));
  }

  /** Members of the run; if there are none, processes that hold its output pipes. */
  override async scan(): Promise<ProcessStat[]> {
    const members = this.members();
    if (members.length > 0) return members;
    const { pipes } = this.#root;
    const inside = descendantsOf(this.#run.init, this.#proc).filter(
      ({ pid }) => pid !== this.#run.slotRunner,
    );
    return inside.filter(({ pid }) => this.#proc.pipes(pid).some((pipe) => pipes.includes(pipe)));
  }

  /** An orphan without a run marker that started after the only live run. */
  #isUnclaimed({ pid, startTime }: ProcessStat): boolean {
    const { live, init } = this.#run;
    if (live.size > 1 || startTime < (this.#root.startTimes?.supervisor ?? 0)) return false;
    return pid !== childPidsOf(init, this.#proc)[0] && !hasRunMarker(pid);
  }
}

/** If the environment of a process cannot be read, the process is treated as marked. */
function hasRunMarker(pid: number): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${RUN_ID_VARIABLE}=`);
  } catch {
    return true;
  }
}
