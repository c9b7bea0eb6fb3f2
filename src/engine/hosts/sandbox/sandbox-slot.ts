import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf, namespacePid, ProcReader, readProcLink } from '../../process/proc-reader.ts';
import { writeNonBlocking } from '../../run/pipe-io.ts';
import type { ShellDumpTexts } from '../../run/run-request.ts';
import { MAX_SHELL_DUMP_BYTES } from '../external-run.ts';
import { SHELL_DUMP_DIRECTORY } from './bwrap-arguments.ts';

/** Longest first line that is accepted: the sender is untrusted. */
const MAX_LINE = 64;

/** A shell inside a sandbox that waits for a command, and its pipes. */
export interface SandboxSlot {
  readonly name: string;
  /** Path outside of the sandbox; `inside` is the same directory inside. */
  readonly directory: string;
  readonly inside: string;
  /** Pid of the command inside the sandbox. */
  readonly innerCommand: number;
  /** Pids of the outer namespace: the init of the sandbox, the slot runner and the command. */
  readonly init: number;
  readonly slotRunner: number;
  readonly command: number;
  /** Start time of the command. */
  readonly startTime: number;
}

/** The name and the pipes of a slot. */
interface SandboxSlotLocation {
  readonly name: string;
  readonly slots: string;
  readonly init: () => number;
}

/** Resolves when the slot runner reports that its shell waits for a command. */
export async function openSandboxSlot(location: SandboxSlotLocation): Promise<SandboxSlot> {
  const { name, slots } = location;
  const directory = join(slots, name);
  const fd = openSync(join(directory, 'answer'), constants.O_RDONLY | constants.O_NONBLOCK);
  return new Promise((resolve, reject) => {
    const socket = new Socket({ fd, readable: true, writable: false });
    let text = '';
    const settle = (): void => {
      socket.destroy();
      const [, slotRunner, command] = /^ready (\d+) (\d+)\n/.exec(text) ?? [];
      if (slotRunner === undefined) reject(new Error('invalid first line'));
      else resolve(locateSlot(location, { slotRunner: Number(slotRunner), command: Number(command) }));
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('\n') || text.length > MAX_LINE) settle();
    });
    socket.on('error', settle);
    socket.on('close', settle);
    socket.unref();
  });
}

/** Maps the inner pids to pids of the outer namespace. */
function locateSlot(
  { name, slots, init }: SandboxSlotLocation,
  inner: { slotRunner: number; command: number },
): SandboxSlot {
  const initPid = init();
  const inside = new Map(
    descendantsOf(initPid, new ProcReader()).map((stat) => [namespacePid(stat.pid), stat]),
  );
  const command = inside.get(inner.command);
  return {
    name,
    directory: join(slots, name),
    inside: `/run/nacre/${name}`,
    innerCommand: inner.command,
    init: initPid,
    slotRunner: inside.get(inner.slotRunner)?.pid ?? 0,
    command: command?.pid ?? 0,
    startTime: command?.startTime ?? 0,
  };
}

/** Whether a process inside still holds a pipe of the slot, which then cannot serve another run. */
export function isSlotHeld({ name, init, slotRunner }: SandboxSlot): boolean {
  const own = new RegExp(`/${name}/(?:in|out|err)$`);
  return descendantsOf(init, new ProcReader()).some(({ pid }) => pid !== slotRunner && holdsFile(pid, own));
}

function holdsFile(pid: number, path: RegExp): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) =>
      path.test(readProcLink(`/proc/${pid}/fd/${fd}`) ?? ''),
    );
  } catch {
    return false;
  }
}

/** Sends the command to the waiting shell, in several writes if the pipe is full. */
export function sendSlotCommand(slot: SandboxSlot, text: string): Promise<void> {
  const body = Buffer.from(text);
  return sendSlotRequest(slot, Buffer.concat([Buffer.from(`${body.length}\n`), body]));
}

/** Tells the slot runner of a finished run whether to start another shell or to exit. */
export function sendSlotVerdict(slot: SandboxSlot, verdict: 'again' | 'done'): Promise<void> {
  return sendSlotRequest(slot, Buffer.from(`${verdict}\n`));
}

async function sendSlotRequest({ directory }: SandboxSlot, bytes: Buffer): Promise<void> {
  let rest = bytes;
  const fd = openSync(join(directory, 'request'), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    while (rest.length > 0) {
      const written = writeNonBlocking(fd, rest);
      rest = rest.subarray(written);
      if (written === 0) await pause(1);
    }
  } finally {
    closeSync(fd);
  }
}

/** Writes a file next to the pipes, which the sandbox can read. */
export function writeSlotFile({ directory }: SandboxSlot, name: string, text: string): void {
  writeFileSync(join(directory, name), text, { mode: 0o600 });
}

/** Removes the files of one run from a slot. */
export function removeSlotFiles({ directory }: SandboxSlot): void {
  for (const name of ['preamble', 'command']) rmSync(join(directory, name), { force: true });
}

/** Removes the directory of a slot that will not be used again. */
export function removeSandboxSlot({ directory }: SandboxSlot): void {
  rmSync(directory, { recursive: true, force: true });
}

/** Reads and removes the shell dump of a run, through the root directory of the sandbox's init. */
export function takeSandboxShellDump(init: number, id: string): ShellDumpTexts {
  const take = (name: 'before' | 'after'): string | null => {
    const path = `/proc/${init}/root${SHELL_DUMP_DIRECTORY}/${id}.${name}`;
    const text = readRegularFile(path);
    try {
      unlinkSync(path);
    } catch {
      // It does not exist, or the sandbox is gone.
    }
    return text;
  };
  return { before: take('before'), after: take('after') };
}

/**
 * The path is under control of the sandbox: only a regular file of limited size is read, and no link is
 * followed.
 */
function readRegularFile(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= MAX_SHELL_DUMP_BYTES ? readFileSync(fd, 'latin1') : null;
  } finally {
    closeSync(fd);
  }
}
