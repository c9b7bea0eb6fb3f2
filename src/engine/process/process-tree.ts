import { type PidSample, type PidWatermark, pidsMayHaveWrapped } from './pid-watermark.ts';
import { hasExited, type ProcessStat, ProcReader } from './proc-reader.ts';
import { isGroupInUse, isProcessAlive, type ProcessIdentity } from './process-identity.ts';
import { ProcessScanner, ProcessSnapshot, RUN_ID_VARIABLE, type RunIdentity } from './process-scanner.ts';

/** Start times in clock ticks since boot, which distinguish a process from a later one with the same pid. */
export interface StartTimes {
  readonly command: number;
  readonly supervisor: number;
}

/** Identifies a run and its processes. */
export interface ProcessTreeRoot {
  readonly id: string;
  /** The command's process, leader of its group. */
  readonly pid: number;
  /** The leader of the session; its own group holds the supervisor and its drain processes only. */
  readonly supervisor: number;
  readonly startTimes: StartTimes | null;
  /** The output pipes as `/proc` names them (`pipe:[123]`): a process that has one open belongs to the run. */
  readonly pipes: readonly string[];
  /** Taken before the command started; absent where it was not taken. */
  readonly startSample?: PidSample;
  /** The source of the sample. */
  readonly watermark?: PidWatermark;
}

/** Finds and signals the processes of a run; each host has its own way. */
export type ProcessTree = Pick<LocalProcessTree, keyof LocalProcessTree>;

/** Up to this many new pids are checked one by one; beyond it a scan of all processes is cheaper. */
const MAX_NEW_PIDS = 64;

/**
 * The processes of a run on this machine: its group, its session, processes with its marker, holders of its
 * output, and all their descendants.
 *
 * Every query reads `/proc` again, because a tree changes while it is being stopped.
 */
export class LocalProcessTree {
  readonly #root: ProcessTreeRoot;
  readonly #scanner: ProcessScanner;
  readonly #proc: ProcReader;

  /** Trees that are stopped together share a scanner. */
  constructor(
    root: ProcessTreeRoot,
    scanner: ProcessScanner = new ProcessScanner(),
    proc: ProcReader = new ProcReader(),
  ) {
    this.#root = root;
    this.#scanner = scanner;
    this.#proc = proc;
  }

  /** Whether processes can be found at all; if not, an empty scan means nothing. */
  canScan(): boolean {
    return this.#proc.isReadable;
  }

  /** Whether the command's group has any process, asked without `/proc`. */
  hasGroup(): boolean {
    return isGroupInUse(this.#root.pid);
  }

  /**
   * Whether the command surely left no process: none of the few processes started since then belongs to this
   * run.
   */
  hasNoLeftovers(): boolean {
    const { startSample, watermark } = this.#root;
    return startSample !== undefined && watermark !== undefined && this.#isNobodyNew(startSample, watermark);
  }

  #isNobodyNew(begin: PidSample, clock: PidWatermark): boolean {
    const { lastPid: since } = begin;
    const last = clock.lastPid();
    // Pids have wrapped around, or are too many to check one by one.
    if (!(last >= since && last - since <= MAX_NEW_PIDS) || clock.mayHaveWrapped(begin)) return false;
    if (last === since) return true;
    const identity = toRunIdentity(this.#root, this.#proc);
    for (let pid = since + 1; pid <= last; pid++) if (this.#mayBelong(pid, identity)) return false;
    return true;
  }

  #mayBelong(pid: number, identity: RunIdentity): boolean {
    const { supervisor, pid: command } = this.#root;
    const stat = pid === process.pid || pid === supervisor ? null : this.#proc.stat(pid);
    if (stat === null || hasExited(stat) || stat.group === supervisor) return false;
    // Only the command's own children are checked here; a full scan finds deeper descendants.
    return this.#belongs(stat, identity) || stat.parent === command;
  }

  /** All members that are alive, in no order. */
  members(): ProcessStat[] {
    const snapshot = ProcessSnapshot.capture(this.#proc, { ...this.#range(), also: [this.#root.pid] });
    return snapshot.membersOf(toRunIdentity(this.#root, this.#proc));
  }

  /**
   * Like `members`, with a scan that other trees share. Without members: the holders of an output pipe, which
   * cleared their environment and left group and session.
   */
  async scan(): Promise<ProcessStat[]> {
    const snapshot = await this.#scanner.scan({ ...this.#range(), also: this.#root.pid });
    const members = snapshot.membersOf(toRunIdentity(this.#root, this.#proc));
    if (members.length > 0) return members;
    const { pipes, supervisor } = this.#root;
    return pipes.length === 0 ? [] : snapshot.pipeHolders(pipes, supervisor);
  }

  isAlive(member: ProcessStat): boolean {
    return isProcessAlive(member, this.#proc);
  }

  isInGroup(stat: ProcessStat): boolean {
    return stat.group > 1 && stat.group === this.#root.pid;
  }

  /** Signals exactly this process. */
  signal(member: ProcessStat, signal: NodeJS.Signals): void {
    signalProcess(member, signal, this.#proc);
  }

  /**
   * Signals the command's group in one step, so that no process can escape by forking. Nothing is sent when
   * another process has the pid of the group leader by now.
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

  /** The processes of a run have higher pids than any process before it, until pids wrap around. */
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

/** Signals a process group in one step; `pid` is its leader. */
export function signalProcessGroup(pid: number, signal: NodeJS.Signals): void {
  sendSignal(-pid, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  // 0 addresses our own group and -1 every process; neither is ever intended.
  if (Math.abs(pid) < 2) return;
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process is gone. EPERM: it belongs to another user (sudo), and is reported as a survivor.
  }
}
