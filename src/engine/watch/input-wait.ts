import {
  listProcNumbers,
  type ProcessStat,
  ProcReader,
  readProcessDetails,
  readProcText,
} from '../process/proc-reader.ts';
import { isSelfPipe, ProcessDescriptors, ptsPath } from './process-descriptors.ts';
import { looksLikePrompt } from './prompt-line.ts';
import { readThreadWait, type ThreadWait } from './thread-wait.ts';

/** A process that is blocked until somebody gives it input. */
export interface InputWait {
  readonly pid: number;
  readonly startTime: number;
  readonly command: string;
  readonly descriptor: number;
  readonly input: InputKind;
  /** The path of a pseudo-terminal; `null` for everything else. */
  readonly terminal: string | null;
  /** What is typed is not shown: a password. Never where there is no terminal. */
  readonly echoOff: boolean;
  /** What was printed last, as the caller gave it. */
  readonly lastLine: string;
  readonly thread: number;
  /** How often the thread had been given a processor; `null` where nobody counts. */
  readonly turns: number | null;
}

export interface InputWaitOptions {
  /** Whether a terminal hides what is typed; asked only for one. Its path is `null` where it cannot be known. */
  readonly isEchoOff?: (terminal: string | null) => boolean;
  /** The last line of the output, with its newline if it has one; asked for only when it matters. */
  readonly lastLine?: () => string;
  /** Where `/proc` is. @default '/proc' */
  readonly root?: string;
  /** The machine as Node names it. @default process.arch */
  readonly arch?: string;
}

/**
 * Finds out whether one of a run's processes waits for input, by what it is doing and not by its silence.
 *
 * Linux tells in which call each thread is blocked. A read of standard input or of a terminal is a wait, and so is a loop
 * that watches nothing else. A loop that watches other things too (connections, files, children), goes on by itself after a
 * time, or belongs to a process with other threads at work, counts only if the last line looks like a prompt. Where the call is not
 * shown to us, the place in the kernel where the thread sleeps takes its part. On other systems the answer is `null`.
 */
export function findInputWait(
  members: readonly ProcessStat[],
  options: InputWaitOptions = {},
): InputWait | null {
  const { root = '/proc', arch = process.arch, lastLine = () => '' } = options;
  const look = new InputWaitExaminer(new RunDescriptors(members, root), arch);
  let doubtful: InputWaitFinding | null = null;
  // The youngest first: whoever waits for it to end stands behind it.
  for (const member of [...members].sort((a, b) => b.startTime - a.startTime)) {
    const finding = look.examine(member);
    if (finding?.certainty === 'certain') return toInputWait(finding, lastLine(), { root, ...options });
    doubtful ??= finding;
  }
  const line = doubtful === null ? '' : lastLine();
  return doubtful !== null && looksLikePrompt(line)
    ? toInputWait(doubtful, line, { root, ...options })
    : null;
}

/** Whether a process was blocked in one and the same wait from one look to the other. */
export function isSameInputWait(earlier: InputWait, later: InputWait): boolean {
  const keys = ['pid', 'startTime', 'thread', 'descriptor', 'turns'] as const;
  return keys.every((key) => earlier[key] === later[key]);
}

function toInputWait(
  { member, thread, descriptor, input, link }: InputWaitFinding,
  lastLine: string,
  { root, isEchoOff = () => false }: InputWaitOptions & { readonly root: string },
): InputWait {
  const directory = `${root}/${member.pid}`;
  const isTerminal = input === 'terminal';
  const terminal = isTerminal ? findTerminal(link, directory) : null;
  return {
    pid: member.pid,
    startTime: member.startTime,
    command: new ProcReader().commandLine(member),
    descriptor,
    input,
    terminal,
    echoOff: isTerminal && isEchoOff(terminal),
    lastLine,
    thread,
    turns: readScheduleCount(`${directory}/task/${thread}`),
  };
}

/** `/dev/tty` is whatever terminal the process has. */
function findTerminal(link: string, directory: string): string | null {
  if (link.startsWith('/dev/pts/')) return link;
  return ptsPath(readProcessDetails(directory)?.terminal ?? 0);
}

/** The third number; the first two are times. */
function readScheduleCount(thread: string): number | null {
  const words = readProcText(`${thread}/schedstat`)?.trim().split(' ') ?? [];
  return words[2] === undefined ? null : Number(words[2]);
}

export type InputKind = 'pipe' | 'socket' | 'terminal';

/** A process that waits for input; `doubtful`: for other things too, or it goes on by itself after a time. */
export interface InputWaitFinding {
  readonly member: ProcessStat;
  readonly thread: number;
  readonly descriptor: number;
  readonly input: InputKind;
  /** What the descriptor leads to. */
  readonly link: string;
  readonly certainty: 'certain' | 'doubtful';
}

/** Stopped, or gone. */
const INACTIVE_STATES = ['T', 't', 'Z', 'X'];

/** One look at the processes of a run: what is found out about one of them serves the others. */
export class InputWaitExaminer {
  readonly #members: RunDescriptors;
  readonly #arch: string;
  /** By session, all of whose processes have the same terminal, or none. */
  readonly #hasTerminal = new Map<number, boolean>();

  constructor(members: RunDescriptors, arch: string) {
    this.#members = members;
    this.#arch = arch;
  }

  examine(member: ProcessStat): InputWaitFinding | null {
    if (INACTIVE_STATES.includes(member.state)) return null;
    const directory = this.#members.directoryOf(member.pid);
    const descriptors = this.#members.descriptorsOf(member.pid);
    // Nearly everybody is done here: nothing to read from, and no terminal to open.
    if (toInputKind(descriptors, 0) === null && !this.#mayOpenTerminal(member)) return null;
    const threads = listProcNumbers(`${directory}/task`) ?? [];
    const process = { directory, descriptors, arch: this.#arch };
    const waits = threads.map((thread) => ({ thread, wait: readThreadWait(process, thread) }));
    for (const { thread, wait } of waits) {
      const input = this.#findInput(member, wait);
      if (input === null) continue;
      const certain = waits.every((each) => waitsOnlyFor(input.link, { descriptors, wait: each.wait }));
      return { member, thread, ...input, certainty: certain ? 'certain' : 'doubtful' };
    }
    return null;
  }

  #mayOpenTerminal({ pid, session }: ProcessStat): boolean {
    let known = this.#hasTerminal.get(session);
    if (known === undefined) {
      known = (readProcessDetails(this.#members.directoryOf(pid))?.terminal ?? 0) !== 0;
      this.#hasTerminal.set(session, known);
    }
    return known;
  }

  /** The descriptor among those a thread waits for that brings input from outside. */
  #findInput(
    member: ProcessStat,
    wait: ThreadWait,
  ): Omit<InputWaitFinding, 'member' | 'thread' | 'certainty'> | null {
    if (wait.kind !== 'descriptors') return null;
    const descriptors = this.#members.descriptorsOf(member.pid);
    for (const descriptor of wait.fds) {
      const input = toInputKind(descriptors, descriptor);
      const link = descriptors.link(descriptor);
      if (input !== null && link !== null && this.#isFromOutside(member, { input, link }))
        return { descriptor, input, link };
    }
    return null;
  }

  #isFromOutside(member: ProcessStat, { input, link }: { input: InputKind; link: string }): boolean {
    if (input !== 'terminal') return this.#members.isRunInput(link, input);
    const facts = readProcessDetails(this.#members.directoryOf(member.pid));
    // In the background of a terminal nothing that is typed arrives.
    return facts !== null && (facts.terminal === 0 || facts.foreground === member.group);
  }
}

/** Standard input by any number, or a terminal. */
function toInputKind(descriptors: ProcessDescriptors, fd: number): InputKind | null {
  const kind = descriptors.kind(fd);
  if (kind === 'terminal') return kind;
  if (kind !== 'pipe' && kind !== 'socket') return null;
  return fd === 0 || descriptors.link(fd) === descriptors.link(0) ? kind : null;
}

/** Whether a thread waits for this input, or for its own process, and for nothing else. */
function waitsOnlyFor(
  link: string,
  { descriptors, wait }: { descriptors: ProcessDescriptors; wait: ThreadWait },
): boolean {
  if (wait.kind !== 'descriptors') return wait.kind === 'idle';
  return (
    wait.endless &&
    wait.fds.every((fd) => isInternalDescriptor(descriptors, fd) || leadsToInput(descriptors, { fd, link }))
  );
}

function isInternalDescriptor(descriptors: ProcessDescriptors, fd: number): boolean {
  const kind = descriptors.kind(fd);
  return kind === 'wakeup' || kind === 'nothing' || isSelfPipe(descriptors, fd);
}

/** A terminal has two names: its own, and `/dev/tty`. */
function leadsToInput(descriptors: ProcessDescriptors, { fd, link }: { fd: number; link: string }): boolean {
  return descriptors.link(fd) === link || descriptors.kind(fd) === 'terminal';
}

/** The processes of a run with their descriptors, for the question who feeds whom. */
export class RunDescriptors {
  readonly #root: string;
  readonly #members: readonly ProcessStat[];
  readonly #descriptors = new Map<number, ProcessDescriptors>();

  /** `root` is where `/proc` is. */
  constructor(members: readonly ProcessStat[], root: string) {
    this.#members = members;
    this.#root = root;
  }

  directoryOf(pid: number): string {
    return `${this.#root}/${pid}`;
  }

  descriptorsOf(pid: number): ProcessDescriptors {
    let found = this.#descriptors.get(pid);
    if (found === undefined) {
      found = new ProcessDescriptors(this.directoryOf(pid));
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
