import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessStat } from '../../src/engine/process/proc-reader.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A process as a directory of `/proc` shows it. What is left out is what one may not see. */
export interface FakeProcess {
  readonly pid: number;
  readonly parent?: number;
  readonly group?: number;
  readonly startTime?: number;
  readonly state?: string;
  /** Device number of the terminal, and the group in its foreground. */
  readonly terminal?: readonly [device: number, foreground: number];
  /** Where descriptors lead; `null`: they may not be seen. */
  readonly fds?: Readonly<Record<number, string>> | null;
  /** Open for: `r` unless said otherwise. */
  readonly modes?: Readonly<Record<number, 'r' | 'w' | 'rw'>>;
  /** What epoll descriptors watch: `[descriptor, events in hexadecimal]`. */
  readonly epoll?: Readonly<Record<number, readonly (readonly [number, string])[]>>;
  readonly threads?: Readonly<Record<number, { readonly syscall?: string; readonly wchan?: string }>>;
  readonly memory?: Buffer;
  /** Clock ticks of its own and of children it has waited for, each for itself and in the kernel. */
  readonly ticks?: readonly [number, number, number, number];
}

export interface FakeProc {
  readonly root: string;
  readonly members: ProcessStat[];
  /** Writes the line of a process anew. */
  readonly update: (process: FakeProcess) => void;
  readonly remove: (pid: number) => void;
}

/** A `/proc` of our own, with only these in it. */
export function fakeProc(processes: readonly FakeProcess[]): FakeProc {
  const root = temporaryDirectory();
  for (const each of processes) write(root, each);
  return {
    root,
    members: processes.map(toStat),
    update: (each) => writeStat(join(root, String(each.pid)), each),
    remove: (pid) => rmSync(join(root, String(pid)), { recursive: true }),
  };
}

function write(root: string, each: FakeProcess): void {
  const directory = join(root, String(each.pid));
  const put = (name: string, text: string | Buffer): void => writeFileSync(join(directory, name), text);
  mkdirSync(join(directory, 'task'), { recursive: true });
  writeStat(directory, each);
  if (each.memory !== undefined) put('mem', each.memory);
  if (each.fds !== null) writeDescriptors(directory, each);
  for (const [tid, { syscall, wchan }] of Object.entries(each.threads ?? {})) {
    mkdirSync(join(directory, 'task', tid));
    if (syscall !== undefined) put(`task/${tid}/syscall`, `${syscall}\n`);
    if (wchan !== undefined) put(`task/${tid}/wchan`, wchan);
  }
}

function writeStat(directory: string, each: FakeProcess): void {
  const { terminal = [0, -1], ticks = [7, 5, 3, 1] } = each;
  const { pid, name, state, parent, group, session, startTime } = toStat(each);
  const faults = [0, 0, 0, 0, 0];
  const rest = [
    parent,
    group,
    session,
    ...terminal,
    ...faults,
    ...ticks,
    20,
    0,
    1,
    0,
    startTime,
    4096,
    25,
    0,
  ];
  writeFileSync(join(directory, 'stat'), `${pid} (${name}) ${state} ${rest.join(' ')}\n`);
}

const FLAGS = { r: '0100000', w: '0100001', rw: '02' };

function writeDescriptors(directory: string, { fds, modes, epoll }: FakeProcess): void {
  mkdirSync(join(directory, 'fd'));
  mkdirSync(join(directory, 'fdinfo'));
  for (const [fd, link] of Object.entries(fds ?? {})) {
    symlinkSync(link, join(directory, 'fd', fd));
    const watched = (epoll?.[Number(fd)] ?? []).map(
      ([target, events]) =>
        `tfd: ${String(target).padStart(8)} events: ${events.padStart(8)} data: 0  pos:0 ino:1 sdev:f\n`,
    );
    writeFileSync(
      join(directory, 'fdinfo', fd),
      `pos:\t0\nflags:\t${FLAGS[modes?.[Number(fd)] ?? 'r']}\nmnt_id:\t15\n${watched.join('')}`,
    );
  }
}

function toStat({ pid, parent = 1, group = pid, startTime = pid, state = 'S' }: FakeProcess): ProcessStat {
  return { pid, name: 'a ) b', state, parent, group, session: group, startTime };
}
