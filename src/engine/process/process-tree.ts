import { type PidSample, type PidWatermark, pidsMayHaveWrapped } from './pid-watermark.ts';
import { hasExited, type ProcessStat, ProcReader } from './proc-reader.ts';
import { isProcessAlive, type ProcessIdentity } from './process-identity.ts';
import { ProcessScanner, ProcessSnapshot, RUN_ID_VARIABLE, type RunIdentity } from './process-scanner.ts';

/** When the two began, in clock ticks since boot: a number that is used again has another one. */
export interface StartTimes {
  readonly command: number;
  readonly supervisor: number;
}

/** Who a run is: enough to find everybody of it. */
export interface ProcessTreeRoot {
  readonly id: string;
  /** The command's own process, leader of its group. */
  readonly pid: number;
  /** Leader of the session; its own group is the supervisor and its drainers, never the command's. */
  readonly supervisor: number;
  readonly startTimes: StartTimes | null;
  /** The output pipes as `/proc` names them (`pipe:[123]`): who holds one belongs to the run. */
  readonly pipes: readonly string[];
  /** Before the command could begin; absent where nobody looked. */
  readonly startSample?: PidSample;
  /** Who looked. */
  readonly watermark?: PidWatermark;
}

/** What it takes to end a run, whoever finds its processes. */
export type ProcessTree = Pick<LocalProcessTree, keyof LocalProcessTree>;

/** So many new processes are looked at one by one; a walk over all of them is cheaper when there are more. */
const MAX_NEW_PIDS = 64;

/**
 * Finds everybody of a run: its group, its session, who carries its marker, who holds its output, and their children.
 *
 * Each look is fresh: a tree changes while it is being ended.
 */
export class LocalProcessTree {
  readonly #root: ProcessTreeRoot;
  readonly #surveyor: ProcessScanner;
  readonly #proc: ProcReader = new ProcReader();

  /** Trees that are ended together share their surveyor. */
  constructor(root: ProcessTreeRoot, surveyor: ProcessScanner = new ProcessScanner()) {
    this.#root = root;
    this.#surveyor = surveyor;
  }

  /** Whether the command has surely left nobody behind: none of the few that were made since it began is of this run. */
  hasNoLeftovers(): boolean {
    const { startSample, watermark } = this.#root;
    return startSample !== undefined && watermark !== undefined && this.#isNobodyNew(startSample, watermark);
  }

  #isNobodyNew(begin: PidSample, clock: PidWatermark): boolean {
    const { lastPid: since } = begin;
    const last = clock.lastPid();
    // Numbers that wrapped around, or too many to ask for one by one.
    if (!(last >= since && last - since <= MAX_NEW_PIDS) || clock.mayHaveWrapped(begin)) return false;
    if (last === since) return true;
    const kin = toRunIdentity(this.#root, this.#proc);
    for (let pid = since + 1; pid <= last; pid++) if (this.#mayBelong(pid, kin)) return false;
    return true;
  }

  #mayBelong(pid: number, kin: RunIdentity): boolean {
    const { supervisor, pid: command } = this.#root;
    const stat = pid === process.pid || pid === supervisor ? null : this.#proc.stat(pid);
    if (stat === null || hasExited(stat) || stat.group === supervisor) return false;
    // The child of one that belongs, which may have gone meanwhile, is found by a walk.
    return this.#belongs(stat, kin) || stat.parent === command;
  }

  /** Everybody who is alive, in no order. */
  members(): ProcessStat[] {
    const snapshot = ProcessSnapshot.capture(this.#proc, { ...this.#range(), also: [this.#root.pid] });
    return snapshot.membersOf(toRunIdentity(this.#root, this.#proc));
  }

  /**
   * The same by a walk that others may share. Where there is nobody: those who hold an output pipe. They cleared their
   * environment and left, and are known by nothing else.
   */
  async scan(): Promise<ProcessStat[]> {
    const survey = await this.#surveyor.scan({ ...this.#range(), also: this.#root.pid });
    const members = survey.membersOf(toRunIdentity(this.#root, this.#proc));
    if (members.length > 0) return members;
    const { pipes, supervisor } = this.#root;
    return pipes.length === 0 ? [] : survey.pipeHolders(pipes, supervisor);
  }

  /** The same process, still alive? */
  isAlive(member: ProcessStat): boolean {
    return isProcessAlive(member, this.#proc);
  }

  isInGroup(stat: ProcessStat): boolean {
    return stat.group > 1 && stat.group === this.#root.pid;
  }

  /** A signal to one process, if it is still that one. */
  signal(member: ProcessStat, signal: NodeJS.Signals): void {
    signalProcess(member, signal, this.#proc);
  }

  /**
   * A signal to the command's group in one step: nobody in it can fork away from it. Nothing is sent when another process
   * has the number of its leader by now.
   */
  signalGroup(signal: NodeJS.Signals): void {
    const { pid, startTimes } = this.#root;
    if (isNotReused(pid, startTimes?.command, this.#proc)) signalProcessGroup(pid, signal);
  }

  describe(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return { pid: stat.pid, command: this.#proc.commandLine(stat), startTime: stat.startTime };
  }

  #belongs(stat: ProcessStat, { group, session, id }: RunIdentity): boolean {
    if (stat.group > 1 && stat.group === group) return true;
    if (stat.session > 1 && (stat.session === session || stat.session === group)) return true;
    return this.#proc.variable(stat.pid, RUN_ID_VARIABLE) === id;
  }

  /** All processes of a run have higher numbers than any before it; later the numbers may have wrapped around. */
  #range(): { readonly above: number } {
    const { startSample } = this.#root;
    return {
      above:
        startSample === undefined || pidsMayHaveWrapped(startSample, this.#proc) ? 0 : startSample.lastPid,
    };
  }
}

/** What makes a process a member of a run now: a pid that another process has by now identifies no group or session. */
export function toRunIdentity(
  { id, pid, supervisor, startTimes }: Omit<ProcessTreeRoot, 'pipes'>,
  proc: ProcReader,
): RunIdentity {
  return {
    id,
    supervisor,
    group: isNotReused(pid, startTimes?.command, proc) ? pid : null,
    session: isNotReused(supervisor, startTimes?.supervisor, proc) ? supervisor : null,
  };
}

/**
 * Whether no other process has the pid of a leader; its group and session outlive it. A start time of 0 was read after
 * the process had ended.
 */
function isNotReused(pid: number, startTime: number | undefined, proc: ProcReader): boolean {
  const now = proc.stat(pid);
  return now === null || startTime === undefined || now.startTime === startTime;
}

/** Sends a signal to exactly this process, not to another one that has its pid by now. */
export function signalProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  proc: ProcReader = new ProcReader(),
): void {
  if (isProcessAlive(identity, proc)) sendSignal(identity.pid, signal);
}

/** A signal to a group in one step; `pid` is its leader. */
export function signalProcessGroup(pid: number, signal: NodeJS.Signals): void {
  sendSignal(-pid, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  // 0 is our own group, -1 is everybody: neither is ever meant.
  if (Math.abs(pid) < 2) return;
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone. EPERM: another user's, after sudo; it will be named as a survivor.
  }
}
