import { type ProcessStat, ProcReader } from '../../run/tree/proc.ts';
import { readProcText } from '../proc-file.ts';
import { readProcessFacts } from '../process-facts.ts';
import { type Finding, type InputKind, InputLook } from './input-look.ts';
import { looksLikePrompt } from './prompt.ts';
import { RunMembers } from './run-members.ts';
import { terminalPath } from './terminal.ts';

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
  const look = new InputLook(new RunMembers(members, root), arch);
  let doubtful: Finding | null = null;
  // The youngest first: whoever waits for it to end stands behind it.
  for (const member of [...members].sort((a, b) => b.startTime - a.startTime)) {
    const finding = look.examine(member);
    if (finding?.certainty === 'certain') return describe(finding, lastLine(), { root, ...options });
    doubtful ??= finding;
  }
  const line = doubtful === null ? '' : lastLine();
  return doubtful !== null && looksLikePrompt(line) ? describe(doubtful, line, { root, ...options }) : null;
}

/** Whether a process was blocked in one and the same wait from one look to the other. */
export function isSameWait(earlier: InputWait, later: InputWait): boolean {
  const keys = ['pid', 'startTime', 'thread', 'descriptor', 'turns'] as const;
  return keys.every((key) => earlier[key] === later[key]);
}

function describe(
  { member, thread, descriptor, input, link }: Finding,
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
    turns: readTurns(`${directory}/task/${thread}`),
  };
}

/** `/dev/tty` is whatever terminal the process has. */
function findTerminal(link: string, directory: string): string | null {
  if (link.startsWith('/dev/pts/')) return link;
  return terminalPath(readProcessFacts(directory)?.terminal ?? 0);
}

/** The third number; the first two are times. */
function readTurns(thread: string): number | null {
  const words = readProcText(`${thread}/schedstat`)?.trim().split(' ') ?? [];
  return words[2] === undefined ? null : Number(words[2]);
}
