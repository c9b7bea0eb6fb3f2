import type { ProcessStat } from '../../run/tree/proc.ts';
import { Descriptors } from './descriptors.ts';

/** The processes of a run with their descriptors, for the question who feeds whom. */
export class RunMembers {
  readonly #root: string;
  readonly #members: readonly ProcessStat[];
  readonly #descriptors = new Map<number, Descriptors>();

  /** `root` is where `/proc` is. */
  constructor(members: readonly ProcessStat[], root: string) {
    this.#members = members;
    this.#root = root;
  }

  directoryOf(pid: number): string {
    return `${this.#root}/${pid}`;
  }

  descriptorsOf(pid: number): Descriptors {
    let found = this.#descriptors.get(pid);
    if (found === undefined) {
      found = new Descriptors(this.directoryOf(pid));
      this.#descriptors.set(pid, found);
    }
    return found;
  }

  /**
   * Whether a pipe or a socket brings input into the run, and not from one of its processes to another:
   * in `sleep 100 | cat` nobody outside can answer `cat`.
   */
  isRunInput(link: string, kind: 'pipe' | 'socket'): boolean {
    // The other end of a socket has a number of its own, which nobody tells.
    if (kind === 'socket') return this.#isFirstInput(link);
    if (this.#members.some(({ pid }) => this.#feeds(pid, link))) return false;
    const seesAll = this.#members.every(({ pid }) => this.descriptorsOf(pid).all() !== null);
    return seesAll || this.#isFirstInput(link);
  }

  /** What is open at 0 is there to be read, even if it was opened for both. */
  #feeds(pid: number, link: string): boolean {
    const descriptors = this.descriptorsOf(pid);
    return descriptors.leadingTo(link).some((fd) => fd !== 0 && descriptors.canWrite(fd));
  }

  /** Whether it is what the run was started with: the input of somebody whose parent is not of the run. */
  #isFirstInput(link: string): boolean {
    const pids = new Set(this.#members.map(({ pid }) => pid));
    return this.#members.some(
      ({ pid, parent }) => !pids.has(parent) && this.descriptorsOf(pid).link(0) === link,
    );
  }
}
