import { readFileSync } from 'node:fs';
import {
  childPidsOf,
  descendantsOf,
  hasExited,
  type ProcessStat,
  ProcReader,
} from '../../process/proc-reader.ts';
import { RUN_ID_VARIABLE } from '../../process/process-scanner.ts';
import { LocalProcessTree, type ProcessTree, type ProcessTreeRoot } from '../../process/process-tree.ts';

/** A run inside a sandbox, by the numbers of this side. */
export interface SandboxedRun {
  readonly init: number;
  readonly slotRunner: number;
  readonly command: number;
  /** Of the command. */
  readonly startTime: number;
  /** Runs of the same sandbox that somebody waits for or that go on, this one included. */
  readonly live: ReadonlySet<string>;
}

/**
 * Finds everybody of a run inside a sandbox.
 *
 * Nobody leaves a process namespace, so there is one place to look, and who carries no run's mark is still found there:
 * it is taken for this run's when this is the only one.
 */
export class SandboxProcessTree implements ProcessTree {
  readonly #root: ProcessTreeRoot;
  readonly #run: SandboxedRun;
  readonly #proc = new ProcReader();
  readonly #base: LocalProcessTree;

  constructor(root: ProcessTreeRoot, run: SandboxedRun) {
    this.#root = root;
    this.#run = run;
    const startTimes = root.startTimes && { ...root.startTimes, command: run.startTime };
    this.#base = new LocalProcessTree({ ...root, pid: run.command, startTimes });
  }

  /** The nurse has no child any more, and nobody lost its parent. */
  hasNoLeftovers(): boolean {
    const { init, slotRunner } = this.#run;
    return childPidsOf(slotRunner, this.#proc).length === 0 && childPidsOf(init, this.#proc).length <= 1;
  }

  members(): ProcessStat[] {
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

  /** Who belongs to it; where there is nobody, who holds its output. */
  async scan(): Promise<ProcessStat[]> {
    const members = this.members();
    if (members.length > 0) return members;
    const { pipes } = this.#root;
    const inside = descendantsOf(this.#run.init, this.#proc).filter(
      ({ pid }) => pid !== this.#run.slotRunner,
    );
    return inside.filter(({ pid }) => this.#proc.pipes(pid).some((pipe) => pipes.includes(pipe)));
  }

  isAlive(stat: ProcessStat): boolean {
    return this.#base.isAlive(stat);
  }

  isInGroup(stat: ProcessStat): boolean {
    return stat.group > 1 && stat.group === this.#run.command;
  }

  signal(member: ProcessStat, signal: NodeJS.Signals): void {
    this.#base.signal(member, signal);
  }

  signalGroup(signal: NodeJS.Signals): void {
    this.#base.signalGroup(signal);
  }

  describe(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return this.#base.describe(stat);
  }

  /** An orphan that carries nobody's mark, from after the start of the only run there is. */
  #isUnclaimed({ pid, startTime }: ProcessStat): boolean {
    const { live, init } = this.#run;
    if (live.size > 1 || startTime < (this.#root.startTimes?.supervisor ?? 0)) return false;
    return pid !== childPidsOf(init, this.#proc)[0] && !hasRunMarker(pid);
  }
}

/** Whether a process says that it is of a run, whichever. One that cannot be asked is left alone. */
function hasRunMarker(pid: number): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${RUN_ID_VARIABLE}=`);
  } catch {
    return true;
  }
}
