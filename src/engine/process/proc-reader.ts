import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

/** What `/proc` tells of one process. Linux only: elsewhere every question here is answered with nothing. */
export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: number;
}

/** Reads small files of `/proc` with one buffer: a walk over all processes makes thousands of such reads. */
export class ProcReader {
  #buffer = Buffer.allocUnsafeSlow(8192);
  #bootId: string | undefined;

  /** The id of the current boot, read once. */
  get bootId(): string {
    this.#bootId ??= readBootId();
    return this.#bootId;
  }

  /** All processes there are, or those with a higher number than one. */
  pids(above = 0): number[] {
    try {
      return readdirSync('/proc')
        .map(Number)
        .filter((pid) => pid > above);
    } catch {
      return [];
    }
  }

  /** The number given out last, to whomever, and how many threads there are. */
  load(): { readonly lastPid: number; readonly threads: number } {
    const words = this.#read('/proc/loadavg')?.toString('latin1').trim().split(' ') ?? [];
    return { lastPid: Number(words[4]), threads: Number(words[3]?.split('/')[1]) };
  }

  /** How many processes and threads were started since the machine was; 0 where nobody counts. */
  forks(): number {
    const [, count] = /^processes (\d+)$/m.exec(this.#read('/proc/stat')?.toString('latin1') ?? '') ?? [];
    return Number(count ?? 0);
  }

  /** No number is higher; 0 where nobody tells. */
  maxPid(): number {
    return Number(this.#read('/proc/sys/kernel/pid_max')?.toString('latin1') ?? 0);
  }

  /** `null` when the process is gone. */
  stat(pid: number): ProcessStat | null {
    const text = this.#read(`/proc/${pid}/stat`)?.toString('latin1');
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

  /** What a variable was when the process was started. */
  variable(pid: number, name: string): string | undefined {
    const environment = this.#read(`/proc/${pid}/environ`);
    if (environment === undefined) return undefined;
    const text = `${name}=`;
    let at = environment.indexOf(text);
    while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(text, at + 1);
    if (at === -1) return undefined;
    const end = environment.indexOf(0, at);
    return environment.toString('latin1', at + text.length, end === -1 ? environment.length : end);
  }

  /** The command line as people write it, or the bare name where there is none. */
  commandLine(stat: ProcessStat): string {
    const words = this.#read(`/proc/${stat.pid}/cmdline`)?.toString('utf8').split('\0').filter(Boolean) ?? [];
    return words.length === 0 ? stat.name : words.join(' ').slice(0, 200);
  }

  /** The pipes that the process holds, by either end (`pipe:[123]`). */
  pipes(pid: number): string[] {
    try {
      const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readProcLink(`/proc/${pid}/fd/${fd}`));
      return [...new Set(links)].filter((link) => link?.startsWith('pipe:')) as string[];
    } catch {
      return [];
    }
  }

  #read(path: string): Buffer | undefined {
    let fd: number | undefined;
    try {
      fd = openSync(path, 'r');
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

/** Gone, or a zombie that only waits for its parent to look. */
export function hasExited(stat: ProcessStat | null): boolean {
  return stat === null || stat.state === 'Z' || stat.state === 'X';
}

/** The text of a small file of `/proc`; `null` when it is gone, or not for us to see. */
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

/** The names of a directory that are numbers: threads, descriptors. */
export function listProcNumbers(path: string): number[] | null {
  try {
    return readdirSync(path).map(Number);
  } catch {
    return null;
  }
}

/** What the line of a process in `/proc/<pid>/stat` tells a watcher. */
export interface ProcessDetails {
  /** Device number of its controlling terminal; 0 when it has none. */
  readonly terminal: number;
  /** The group in the foreground of that terminal. */
  readonly foreground: number;
  /** Clock ticks it computed, those of children it has waited for included. */
  readonly cpuTicks: number;
  /** Clock ticks since the machine was started. */
  readonly startTime: number;
  readonly residentPages: number;
}

/** `null` when the process is gone, or waits for its parent to look. */
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

/** The processes below one, as this side of the namespace numbers them; parents come before their children. */
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

/** A kernel without the list of children is asked for everybody. */
export function childPidsOf(pid: number, proc: ProcReader): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return proc.pids(1).filter((other) => proc.stat(other)?.parent === pid);
  }
}

/** The number a process has in its own namespace. */
export function namespacePid(pid: number): number | null {
  try {
    const [, numbers = ''] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(numbers.split(/\s+/).at(-1)) || null;
  } catch {
    return null;
  }
}
