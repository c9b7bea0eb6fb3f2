import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

/** The fields of `/proc/<pid>/stat` that identify a process. Linux only. */
export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: number;
}

/**
 * Reads small files of `/proc` into one reused buffer, because a scan of all processes reads thousands of them.
 */
export class ProcReader {
  #buffer = Buffer.allocUnsafeSlow(8192);
  #bootId: string | undefined;
  readonly #root: string;

  constructor(root = '/proc') {
    this.#root = root;
  }

  /** Whether processes can be read: not without `/proc`, and not without a free descriptor. */
  get isReadable(): boolean {
    return this.stat(process.pid) !== null;
  }

  /** The id of the current boot, read once. */
  get bootId(): string {
    this.#bootId ??= readBootId();
    return this.#bootId;
  }

  /** The pids of all processes, or of those with a higher pid than `above`; empty without `/proc`. */
  pids(above = 0): number[] {
    try {
      return readdirSync(this.#root)
        .map(Number)
        .filter((pid) => pid > above);
    } catch {
      return [];
    }
  }

  /** The pid that was assigned last, and the number of threads. */
  load(): { readonly lastPid: number; readonly threads: number } {
    const words = this.#read('loadavg')?.toString('latin1').trim().split(' ') ?? [];
    return { lastPid: Number(words[4]), threads: Number(words[3]?.split('/')[1]) };
  }

  /** Number of processes and threads started since boot; 0 where it is unknown. */
  forks(): number {
    const [, count] = /^processes (\d+)$/m.exec(this.#read('stat')?.toString('latin1') ?? '') ?? [];
    return Number(count ?? 0);
  }

  /** The highest pid the kernel assigns; 0 where it is unknown. */
  maxPid(): number {
    return Number(this.#read('sys/kernel/pid_max')?.toString('latin1') ?? 0);
  }

  /** The state of a process; `null` when it is gone or `/proc` cannot be read. */
  stat(pid: number): ProcessStat | null {
    const text = this.#read(`${pid}/stat`)?.toString('latin1');
    if (text === undefined) return null;
    const { name, fields } = splitStatLine(text);
    return {
      pid,
      name,
      state: fields[0] ?? 'X',
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      startTime: Number(fields[19]),
    };
  }

  /**
   * The value of an environment variable at the start of a process; `undefined` when it was not set or cannot
   * be read.
   */
  variable(pid: number, name: string): string | undefined {
    const environment = this.#read(`${pid}/environ`);
    if (environment === undefined) return undefined;
    const text = `${name}=`;
    let at = environment.indexOf(text);
    while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(text, at + 1);
    if (at === -1) return undefined;
    const end = environment.indexOf(0, at);
    return environment.toString('latin1', at + text.length, end === -1 ? environment.length : end);
  }

  /** The command line with spaces between the arguments, or the process name when there is none. */
  commandLine(stat: ProcessStat): string {
    const words = this.#read(`${stat.pid}/cmdline`)?.toString('utf8').split('\0').filter(Boolean) ?? [];
    return words.length === 0 ? stat.name : words.join(' ').slice(0, 200);
  }

  /** The pipes that a process has open, by either end (`pipe:[123]`). */
  pipes(pid: number): string[] {
    const directory = `${this.#root}/${pid}/fd`;
    try {
      const links = readdirSync(directory).map((fd) => readProcLink(`${directory}/${fd}`));
      return [...new Set(links)].filter((link) => link?.startsWith('pipe:')) as string[];
    } catch {
      return [];
    }
  }

  #read(name: string): Buffer | undefined {
    let fd: number | undefined;
    try {
      fd = openSync(`${this.#root}/${name}`, 'r');
      return this.#readAll(fd);
    } catch {
      return undefined;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  #readAll(fd: number): Buffer {
    let length = 0;
    for (;;) {
      const count = readSync(fd, this.#buffer, length, this.#buffer.length - length, null);
      if (count === 0) return this.#buffer.subarray(0, length);
      length += count;
      if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], length * 2);
    }
  }
}

/** The id of the current boot of the machine; `unknown` without `/proc`. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** Whether a process is gone or a zombie. */
export function hasExited(stat: ProcessStat | null): boolean {
  return stat === null || stat.state === 'Z' || stat.state === 'X';
}

/** The text of a small file of `/proc`; `null` when it cannot be read. */
export function readProcText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

export function readProcLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The names in a directory of `/proc` as numbers (thread ids, descriptors); `null` when it cannot be read. */
export function listProcNumbers(path: string): number[] | null {
  try {
    return readdirSync(path).map(Number);
  } catch {
    return null;
  }
}

/** The fields of `/proc/<pid>/stat` about terminal, CPU time and memory. */
export interface ProcessDetails {
  /** Device number of the controlling terminal; 0 for none. */
  readonly terminal: number;
  /** The foreground process group of that terminal. */
  readonly foreground: number;
  /** Clock ticks of CPU time, including children that were waited for. */
  readonly cpuTicks: number;
  /** Clock ticks since boot. */
  readonly startTime: number;
  readonly residentPages: number;
}

/** Reads the details of the process with this `/proc` directory; `null` when it is gone or a zombie. */
export function readProcessDetails(directory: string): ProcessDetails | null {
  const text = readProcText(`${directory}/stat`);
  if (text === null) return null;
  const { fields } = splitStatLine(text);
  const [state = 'X'] = fields;
  if (state === 'Z' || state === 'X') return null;
  const at = (index: number): number => Number(fields[index] ?? 0);
  return {
    terminal: at(4),
    foreground: at(5),
    cpuTicks: at(11) + at(12) + at(13) + at(14),
    startTime: at(19),
    residentPages: at(21),
  };
}

/** Splits a line of `/proc/<pid>/stat`; `fields` begins with the state, the third field of proc(5). */
function splitStatLine(text: string): { readonly name: string; readonly fields: readonly string[] } {
  // The name is in parentheses and may contain any character, parentheses included.
  const close = text.lastIndexOf(')');
  return { name: text.slice(text.indexOf('(') + 1, close), fields: text.slice(close + 2).split(' ') };
}

/** All descendants of a process, with the pids of this pid namespace; parents come before their children. */
export function descendantsOf(root: number, proc: ProcReader): ProcessStat[] {
  const found: ProcessStat[] = [];
  const pending = childPidsOf(root, proc);
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    const stat = proc.stat(pid);
    if (stat === null) continue;
    found.push(stat);
    pending.push(...childPidsOf(pid, proc));
  }
  return found;
}

/** The pids of the children of a process; scans all processes where the kernel offers no list of children. */
export function childPidsOf(pid: number, proc: ProcReader): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return proc.pids(1).filter((other) => proc.stat(other)?.parent === pid);
  }
}

/** The pid that a process has in its own pid namespace; `null` when it cannot be read. */
export function namespacePid(pid: number): number | null {
  try {
    const [, numbers = ''] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(numbers.split(/\s+/).at(-1)) || null;
  } catch {
    return null;
  }
}
