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

/** A process that is blocked until it gets input. */
export interface InputWait {
  readonly pid: number;
  readonly startTime: number;
  readonly command: string;
  readonly descriptor: number;
  readonly input: InputKind;
  /** The path of a pseudo-terminal; `null` for everything else. */
  readonly terminal: string | null;
  /** The terminal does not echo what is typed, as for a password. Always `false` without a terminal. */
  readonly echoOff: boolean;
  /** The last line of the output, as given by `InputWaitOptions.lastLine`. */
  readonly lastLine: string;
  readonly thread: number;
  /** How often the thread has been scheduled, from `schedstat`; `null` where the kernel does not count. */
  readonly scheduleCount: number | null;
}

/** Options of `findInputWait`. */
export interface InputWaitOptions {
  /** Whether a terminal hides what is typed. Called only for a terminal; `null` if its path is unknown. */
  readonly isEchoOff?: (terminal: string | null) => boolean;
  /** The last line of the output, with its newline if it has one. Called only when the result depends on it. */
  readonly lastLine?: () => string;
  /** The `/proc` directory. @default '/proc' */
  readonly root?: string;
  /** The architecture as Node names it. @default process.arch */
  readonly arch?: string;
}

/**
 * Finds a process of a run that waits for input, from the system call it is blocked in and not from its
 * silence.
 *
 * A thread blocked in a read of standard input or of a terminal waits for input, and so does an event loop that
 * watches nothing else. An event loop that also watches connections, files or children, that has a timeout, or
 * whose process has other active threads, counts only if the last line looks like a prompt. If `/proc` does not
 * show the system call, the kernel function in which the thread sleeps is used instead. On systems other than
 * Linux the result is `null`.
 */
export function findInputWait(
  members: readonly ProcessStat[],
  options: InputWaitOptions = {},
): InputWait | null {
  const { root = '/proc', arch = process.arch, lastLine = () => '' } = options;
  const examiner = new InputWaitExaminer(new RunDescriptors(members, root), arch);
  let doubtful: InputWaitFinding | null = null;
  // The youngest first: a parent that waits for its child is not the process that waits for input.
  for (const member of [...members].sort((a, b) => b.startTime - a.startTime)) {
    const finding = examiner.examine(member);
    if (finding?.certainty === 'certain') return toInputWait(finding, lastLine(), { root, ...options });
    doubtful ??= finding;
  }
  const line = doubtful === null ? '' : lastLine();
  return doubtful !== null && looksLikePrompt(line)
    ? toInputWait(doubtful, line, { root, ...options })
    : null;
}

/** Whether a process stayed blocked in the same wait between two checks. */
export function isSameInputWait(earlier: InputWait, later: InputWait): boolean {
  const keys = ['pid', 'startTime', 'thread', 'descriptor', 'scheduleCount'] as const;
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
    scheduleCount: readScheduleCount(`${directory}/task/${thread}`),
  };
}

/** `/dev/tty` means the controlling terminal of the process. */
function findTerminal(link: string, directory: string): string | null {
  if (link.startsWith('/dev/pts/')) return link;
  return ptsPath(readProcessDetails(directory)?.terminal ?? 0);
}

/** The third field of `schedstat`; the first two are times. */
function readScheduleCount(thread: string): number | null {
  const words = readProcText(`${thread}/schedstat`)?.trim().split(' ') ?? [];
  return words[2] === undefined ? null : Number(words[2]);
}

type InputKind = 'pipe' | 'socket' | 'terminal';

/** A process that waits for input; `doubtful` if it also waits for other things or has a timeout. */
interface InputWaitFinding {
  readonly member: ProcessStat;
  readonly thread: number;
  readonly descriptor: number;
  readonly input: InputKind;
  /** The target of the descriptor's link in `/proc`. */
  readonly link: string;
  readonly certainty: 'certain' | 'doubtful';
}

/** Stopped or dead. */
const INACTIVE_STATES = ['T', 't', 'Z', 'X'];

/** Examines the processes of one run and shares what it reads about them. */
class InputWaitExaminer {
  readonly #members: RunDescriptors;
  readonly #arch: string;
  /** By session: all processes of a session have the same controlling terminal, or none. */
  readonly #hasTerminal = new Map<number, boolean>();

  constructor(members: RunDescriptors, arch: string) {
    this.#members = members;
    this.#arch = arch;
  }

  examine(member: ProcessStat): InputWaitFinding | null {
    if (INACTIVE_STATES.includes(member.state)) return null;
    const directory = this.#members.directoryOf(member.pid);
    const descriptors = this.#members.descriptorsOf(member.pid);
    // Most processes stop here: nothing to read from, and no terminal to open.
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

  /** The first descriptor the thread waits for that brings input from outside the run. */
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
    // A background process group of a terminal does not receive what is typed.
    return facts !== null && (facts.terminal === 0 || facts.foreground === member.group);
  }
}

/** The kind of input: standard input under any descriptor number, or a terminal. */
function toInputKind(descriptors: ProcessDescriptors, fd: number): InputKind | null {
  const kind = descriptors.kind(fd);
  if (kind === 'terminal') return kind;
  if (kind !== 'pipe' && kind !== 'socket') return null;
  return fd === 0 || descriptors.link(fd) === descriptors.link(0) ? kind : null;
}

/** Whether a thread waits only for this input or for its own process. */
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

/** A terminal has two names: its own and `/dev/tty`. */
function leadsToInput(descriptors: ProcessDescriptors, { fd, link }: { fd: number; link: string }): boolean {
  return descriptors.link(fd) === link || descriptors.kind(fd) === 'terminal';
}

/** The descriptors of all processes of a run, to find out which process writes to which. */
class RunDescriptors {
  readonly #root: string;
  readonly #members: readonly ProcessStat[];
  readonly #descriptors = new Map<number, ProcessDescriptors>();

  /** `root` is the `/proc` directory. */
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
   * Whether a pipe or a socket brings input from outside the run. In `sleep 100 | cat` the input of `cat` comes
   * from inside.
   */
  isRunInput(link: string, kind: 'pipe' | 'socket'): boolean {
    // The other end of a socket has its own inode number, which `/proc` does not show.
    if (kind === 'socket') return this.#isInitialInput(link);
    if (this.#members.some(({ pid }) => this.#writesTo(pid, link))) return false;
    const seesAll = this.#members.every(({ pid }) => this.descriptorsOf(pid).all() !== null);
    return seesAll || this.#isInitialInput(link);
  }

  /** Descriptor 0 is used for reading, even if it is open for both. */
  #writesTo(pid: number, link: string): boolean {
    const descriptors = this.descriptorsOf(pid);
    return descriptors.leadingTo(link).some((fd) => fd !== 0 && descriptors.canWrite(fd));
  }

  /**
   * Whether the run was started with this input: standard input of a process whose parent is outside the run.
   */
  #isInitialInput(link: string): boolean {
    const pids = new Set(this.#members.map(({ pid }) => pid));
    return this.#members.some(
      ({ pid, parent }) => !pids.has(parent) && this.descriptorsOf(pid).link(0) === link,
    );
  }
}
