import { type PidSample, type PidWatermark, pidsMayHaveWrapped } from './pid-watermark.ts';
import { hasExited, type ProcessStat, ProcReader } from './proc-reader.ts';
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
    const kin = this.#kin();
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
    return ProcessSnapshot.capture(this.#proc, { ...this.#range(), also: [this.#root.pid] }).membersOf(
      this.#kin(),
    );
  }

  /**
   * The same by a walk that others may share. Where there is nobody: those who hold an output pipe. They cleared their
   * environment and left, and are known by nothing else.
   */
  async scan(): Promise<ProcessStat[]> {
    const survey = await this.#surveyor.scan({ ...this.#range(), also: this.#root.pid });
    const members = survey.membersOf(this.#kin());
    if (members.length > 0) return members;
    const { pipes, supervisor } = this.#root;
    return pipes.length === 0 ? [] : survey.pipeHolders(pipes, supervisor);
  }

  /** The same process, still alive? */
  isAlive({ pid, startTime }: ProcessStat): boolean {
    const now = this.#proc.stat(pid);
    return !hasExited(now) && now?.startTime === startTime;
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
    if (this.#isStill(pid, startTimes?.command)) signalProcessGroup(pid, signal);
  }

  describe(stat: ProcessStat): { pid: number; command: string; startTime: number } {
    return { pid: stat.pid, command: this.#proc.commandLine(stat), startTime: stat.startTime };
  }

  #belongs(stat: ProcessStat, { group, session, id }: RunIdentity): boolean {
    if (stat.group > 1 && stat.group === group) return true;
    if (stat.session > 1 && (stat.session === session || stat.session === group)) return true;
    return this.#proc.variable(stat.pid, RUN_ID_VARIABLE) === id;
  }

  /** A number that somebody else has by now says nothing about who belongs to us. */
  #kin(): RunIdentity {
    const { id, pid, supervisor, startTimes } = this.#root;
    return {
      id,
      supervisor,
      group: this.#isStill(pid, startTimes?.command) ? pid : null,
      session: this.#isStill(supervisor, startTimes?.supervisor) ? supervisor : null,
    };
  }

  /** A start time of 0 was read when the process was gone already: whatever has the number now is another process. */
  #isStill(pid: number, startTime: number | undefined): boolean {
    const now = this.#proc.stat(pid);
    return now === null || startTime === undefined || now.startTime === startTime;
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

/** A signal to one process, unless it is gone or another one has its number. Without `/proc` every start time is 0. */
export function signalProcess(
  { pid, startTime }: Pick<ProcessStat, 'pid' | 'startTime'>,
  signal: NodeJS.Signals,
  proc: ProcReader = new ProcReader(),
): void {
  const now = proc.stat(pid);
  if (now === null ? startTime === 0 : now.startTime === startTime && !hasExited(now))
    sendSignal(pid, signal);
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
