import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf, namespacePid, ProcReader } from '../../process/proc-reader.ts';
import { writeNonBlocking } from '../../run/pipe-io.ts';
import type { ShellDumpTexts } from '../../run/run-request.ts';
import { MAX_SHELL_DUMP_BYTES } from '../external-run.ts';
import { SHELL_DUMP_DIRECTORY } from './bwrap-arguments.ts';

/** The first line of a nurse, and nothing longer: who speaks in there may be anybody. */
const MAX_LINE = 64;

/** A shell inside a sandbox that waits for its command, and the pipes it is reached by. */
export interface SandboxSlot {
  readonly name: string;
  /** Outside; the same directory is `inside` for those in there. */
  readonly directory: string;
  readonly inside: string;
  /** The command's number as the inside has it. */
  readonly innerCommand: number;
  /** Its first process, the nurse and the command, by the numbers of this side. */
  readonly init: number;
  readonly slotRunner: number;
  readonly command: number;
  /** Of the command. */
  readonly startTime: number;
}

/** Where a slot is. */
export interface SandboxSlotLocation {
  readonly name: string;
  readonly slots: string;
  readonly init: () => number;
}

/** Waits until the nurse of a slot says that a shell is there. */
export async function openSandboxSlot(place: SandboxSlotLocation): Promise<SandboxSlot> {
  const { name, slots } = place;
  const directory = join(slots, name);
  const fd = openSync(join(directory, 'answer'), constants.O_RDONLY | constants.O_NONBLOCK);
  return new Promise((resolve, reject) => {
    const socket = new Socket({ fd, readable: true, writable: false });
    let text = '';
    const settle = (): void => {
      socket.destroy();
      const [, nurse, command] = /^ready (\d+) (\d+)\n/.exec(text) ?? [];
      if (nurse === undefined) reject(new Error('its first word could not be understood'));
      else resolve(locateSlot(place, { nurse: Number(nurse), command: Number(command) }));
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

/** Where the slot's processes are, by the numbers of this side. */
function locateSlot(
  { name, slots, init }: SandboxSlotLocation,
  inner: { nurse: number; command: number },
): SandboxSlot {
  const first = init();
  const inside = new Map(
    descendantsOf(first, new ProcReader()).map((stat) => [namespacePid(stat.pid), stat]),
  );
  const command = inside.get(inner.command);
  return {
    ...{ name, directory: join(slots, name), inside: `/run/nacre/${name}` },
    innerCommand: inner.command,
    init: first,
    slotRunner: inside.get(inner.nurse)?.pid ?? 0,
    command: command?.pid ?? 0,
    startTime: command?.startTime ?? 0,
  };
}

/** Whether somebody inside still holds one of the slot's pipes; then it cannot serve another run. */
export function isSlotHeld({ name, init, slotRunner }: SandboxSlot): boolean {
  const own = new RegExp(`/${name}/(?:in|out|err)$`);
  return descendantsOf(init, new ProcReader()).some(({ pid }) => pid !== slotRunner && holdsFile(pid, own));
}

function holdsFile(pid: number, path: RegExp): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => path.test(readSlotFdLink(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return false;
  }
}

function readSlotFdLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Gives the waiting shell its command. What is longer than a pipe holds is taken while it is read. */
export function sendSlotCommand(slot: SandboxSlot, text: string): Promise<void> {
  const body = Buffer.from(text);
  return sendSlotRequest(slot, Buffer.concat([Buffer.from(`${body.length}\n`), body]));
}

/** What becomes of the slot when its run is over and its stand-in has said so. */
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

/** A file beside the pipes, readable inside. */
export function writeSlotFile({ directory }: SandboxSlot, name: string, text: string): void {
  writeFileSync(join(directory, name), text, { mode: 0o600 });
}

/** What the run alone needed. */
export function removeSlotFiles({ directory }: SandboxSlot): void {
  for (const name of ['preamble', 'command']) rmSync(join(directory, name), { force: true });
}

/** Nobody opens these any more. */
export function removeSandboxSlot({ directory }: SandboxSlot): void {
  rmSync(directory, { recursive: true, force: true });
}

/** What a shell inside wrote down of itself: read from outside, through the sandbox's first process, and gone then. */
export function takeSandboxShellDump(init: number, id: string): ShellDumpTexts {
  const take = (name: 'before' | 'after'): string | null => {
    const path = `/proc/${init}/root${SHELL_DUMP_DIRECTORY}/${id}.${name}`;
    const text = readRegularFile(path);
    try {
      unlinkSync(path);
    } catch {
      // It never was there, or the sandbox is gone.
    }
    return text;
  };
  return { before: take('before'), after: take('after') };
}

/** Whatever they put there inside: only a plain file of a fair size is read, and no link is followed. */
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
