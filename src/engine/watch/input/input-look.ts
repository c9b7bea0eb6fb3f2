import type { ProcessStat } from '../../run/tree/proc.ts';
import { listProcNumbers } from '../proc-file.ts';
import { readProcessFacts } from '../process-facts.ts';
import type { Descriptors } from './descriptors.ts';
import { isOwnPair } from './own-pair.ts';
import type { RunMembers } from './run-members.ts';
import { readThreadWait, type ThreadWait } from './thread-wait.ts';

export type InputKind = 'pipe' | 'socket' | 'terminal';

/** A process that waits for input; `doubtful`: for other things too, or it goes on by itself after a time. */
export interface Finding {
  readonly member: ProcessStat;
  readonly thread: number;
  readonly descriptor: number;
  readonly input: InputKind;
  /** What the descriptor leads to. */
  readonly link: string;
  readonly certainty: 'certain' | 'doubtful';
}

/** Stopped, or gone. */
const STILL = ['T', 't', 'Z', 'X'];

/** One look at the processes of a run: what is found out about one of them serves the others. */
export class InputLook {
  readonly #members: RunMembers;
  readonly #arch: string;
  /** By session, all of whose processes have the same terminal, or none. */
  readonly #hasTerminal = new Map<number, boolean>();

  constructor(members: RunMembers, arch: string) {
    this.#members = members;
    this.#arch = arch;
  }

  examine(member: ProcessStat): Finding | null {
    if (STILL.includes(member.state)) return null;
    const directory = this.#members.directoryOf(member.pid);
    const descriptors = this.#members.descriptorsOf(member.pid);
    // Nearly everybody is done here: nothing to read from, and no terminal to open.
    if (toInput(descriptors, 0) === null && !this.#mayOpenTerminal(member)) return null;
    const threads = listProcNumbers(`${directory}/task`) ?? [];
    const process = { directory, descriptors, arch: this.#arch };
    const waits = threads.map((thread) => ({ thread, wait: readThreadWait(process, thread) }));
    for (const { thread, wait } of waits) {
      const input = this.#findInput(member, wait);
      if (input === null) continue;
      const certain = waits.every((each) => isOnlyFor(input.link, { descriptors, wait: each.wait }));
      return { member, thread, ...input, certainty: certain ? 'certain' : 'doubtful' };
    }
    return null;
  }

  #mayOpenTerminal({ pid, session }: ProcessStat): boolean {
    let known = this.#hasTerminal.get(session);
    if (known === undefined) {
      known = (readProcessFacts(this.#members.directoryOf(pid))?.terminal ?? 0) !== 0;
      this.#hasTerminal.set(session, known);
    }
    return known;
  }

  /** The descriptor among those a thread waits for that brings input from outside. */
  #findInput(member: ProcessStat, wait: ThreadWait): Omit<Finding, 'member' | 'thread' | 'certainty'> | null {
    if (wait.kind !== 'descriptors') return null;
    const descriptors = this.#members.descriptorsOf(member.pid);
    for (const descriptor of wait.fds) {
      const input = toInput(descriptors, descriptor);
      const link = descriptors.link(descriptor);
      if (input !== null && link !== null && this.#isFromOutside(member, { input, link }))
        return { descriptor, input, link };
    }
    return null;
  }

  #isFromOutside(member: ProcessStat, { input, link }: { input: InputKind; link: string }): boolean {
    if (input !== 'terminal') return this.#members.isRunInput(link, input);
    const facts = readProcessFacts(this.#members.directoryOf(member.pid));
    // In the background of a terminal nothing that is typed arrives.
    return facts !== null && (facts.terminal === 0 || facts.foreground === member.group);
  }
}

/** Standard input by any number, or a terminal. */
function toInput(descriptors: Descriptors, fd: number): InputKind | null {
  const kind = descriptors.kind(fd);
  if (kind === 'terminal') return kind;
  if (kind !== 'pipe' && kind !== 'socket') return null;
  return fd === 0 || descriptors.link(fd) === descriptors.link(0) ? kind : null;
}

/** Whether a thread waits for this input, or for its own process, and for nothing else. */
function isOnlyFor(
  link: string,
  { descriptors, wait }: { descriptors: Descriptors; wait: ThreadWait },
): boolean {
  if (wait.kind !== 'descriptors') return wait.kind === 'idle';
  return (
    wait.endless && wait.fds.every((fd) => isInternal(descriptors, fd) || isSame(descriptors, { fd, link }))
  );
}

function isInternal(descriptors: Descriptors, fd: number): boolean {
  const kind = descriptors.kind(fd);
  return kind === 'wakeup' || kind === 'nothing' || isOwnPair(descriptors, fd);
}

/** A terminal has two names: its own, and `/dev/tty`. */
function isSame(descriptors: Descriptors, { fd, link }: { fd: number; link: string }): boolean {
  return descriptors.link(fd) === link || descriptors.kind(fd) === 'terminal';
}
