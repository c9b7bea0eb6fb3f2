import { readFileSync } from 'node:fs';
import { isGone, type ProcessStat, ProcReader } from '../../run/tree/proc.ts';
import { RUN_VARIABLE } from '../../run/tree/survey.ts';
import { type RunTree, Tree, type TreeRoot } from '../../run/tree/tree.ts';
import { children, descendants } from './inner-processes.ts';

/** A run inside a sandbox, by the numbers of this side. */
export interface InnerRun {
  readonly init: number;
  readonly nurse: number;
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
export class SandboxTree implements RunTree {
  readonly #root: TreeRoot;
  readonly #run: InnerRun;
  readonly #proc = new ProcReader();
  readonly #base: Tree;

  constructor(root: TreeRoot, run: InnerRun) {
    this.#root = root;
    this.#run = run;
    const startTimes = root.startTimes && { ...root.startTimes, command: run.startTime };
    this.#base = new Tree({ ...root, pid: run.command, startTimes });
  }

  /** The nurse has no child any more, and nobody lost its parent. */
  isAlone(): boolean {
    const { init, nurse } = this.#run;
    return children(nurse, this.#proc).length === 0 && children(init, this.#proc).length <= 1;
  }

  members(): ProcessStat[] {
    const { init, nurse, command } = this.#run;
    const all = descendants(init, this.#proc).filter((stat) => !isGone(stat));
    const own = new Set<number>();
    for (const stat of all) {
      const isOwn =
        (stat.pid === command && stat.parent === nurse) ||
        own.has(stat.parent) ||
        stat.group === command ||
        (stat.session === nurse && stat.pid !== nurse) ||
        this.#proc.variable(stat.pid, RUN_VARIABLE) === this.#root.id ||
        (stat.parent === init && this.#isUnclaimed(stat));
      if (isOwn) own.add(stat.pid);
    }
    return all.filter(({ pid }) => own.has(pid));
  }

  /** Who belongs to it; where there is nobody, who holds its output. */
  async look(): Promise<ProcessStat[]> {
    const members = this.members();
    if (members.length > 0) return members;
    const { pipes } = this.#root;
    const inside = descendants(this.#run.init, this.#proc).filter(({ pid }) => pid !== this.#run.nurse);
    return inside.filter(({ pid }) => this.#proc.pipes(pid).some((pipe) => pipes.includes(pipe)));
  }

  isAlive(stat: ProcessStat): boolean {
    return this.#base.isAlive(stat);
  }

  isOfGroup(stat: ProcessStat): boolean {
    return stat.group > 1 && stat.group === this.#run.command;
  }

  signal(member: ProcessStat, signal: NodeJS.Signals): void {
    this.#base.signal(member, signal);
  }

  signalGroup(signal: NodeJS.Signals): void {
    this.#base.signalGroup(signal);
  }

  name(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return this.#base.name(stat);
  }

  /** An orphan that carries nobody's mark, from after the start of the only run there is. */
  #isUnclaimed({ pid, startTime }: ProcessStat): boolean {
    const { live, init } = this.#run;
    if (live.size > 1 || startTime < (this.#root.startTimes?.supervisor ?? 0)) return false;
    return pid !== children(init, this.#proc)[0] && !isMarked(pid);
  }
}

/** Whether a process says that it is of a run, whichever. One that cannot be asked is left alone. */
function isMarked(pid: number): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${RUN_VARIABLE}=`);
  } catch {
    return true;
  }
}
