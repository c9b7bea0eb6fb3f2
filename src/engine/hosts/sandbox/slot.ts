import { closeSync, constants, openSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeNow } from '../../run/supervise/write-now.ts';
import { ProcReader } from '../../run/tree/proc.ts';
import { descendants, innerPid } from './inner-processes.ts';

/** The first line of a nurse, and nothing longer: who speaks in there may be anybody. */
const MAX_LINE = 64;

/** A shell inside a sandbox that waits for its command, and the pipes it is reached by. */
export interface Slot {
  readonly name: string;
  /** Outside; the same directory is `inside` for those in there. */
  readonly directory: string;
  readonly inside: string;
  /** The command's number as the inside has it. */
  readonly innerCommand: number;
  /** Its first process, the nurse and the command, by the numbers of this side. */
  readonly init: number;
  readonly nurse: number;
  readonly command: number;
  /** Of the command. */
  readonly startTime: number;
}

/** Where a slot is. */
export interface SlotPlace {
  readonly name: string;
  readonly slots: string;
  readonly init: () => number;
}

/** Waits until the nurse of a slot says that a shell is there. */
export async function openSlot(place: SlotPlace): Promise<Slot> {
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
      else resolve(locate(place, { nurse: Number(nurse), command: Number(command) }));
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
function locate({ name, slots, init }: SlotPlace, inner: { nurse: number; command: number }): Slot {
  const first = init();
  const inside = new Map(descendants(first, new ProcReader()).map((stat) => [innerPid(stat.pid), stat]));
  const command = inside.get(inner.command);
  return {
    ...{ name, directory: join(slots, name), inside: `/run/nacre/${name}` },
    innerCommand: inner.command,
    init: first,
    nurse: inside.get(inner.nurse)?.pid ?? 0,
    command: command?.pid ?? 0,
    startTime: command?.startTime ?? 0,
  };
}

/** Whether somebody inside still holds one of the slot's pipes; then it cannot serve another run. */
export function isHeld({ name, init, nurse }: Slot): boolean {
  const own = new RegExp(`/${name}/(?:in|out|err)$`);
  return descendants(init, new ProcReader()).some(({ pid }) => pid !== nurse && holds(pid, own));
}

function holds(pid: number, path: RegExp): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => path.test(readLink(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return false;
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Gives the waiting shell its command. What is longer than a pipe holds is taken while it is read. */
export function sendCommand(slot: Slot, text: string): Promise<void> {
  const body = Buffer.from(text);
  return send(slot, Buffer.concat([Buffer.from(`${body.length}\n`), body]));
}

/** What becomes of the slot when its run is over and its stand-in has said so. */
export function sendVerdict(slot: Slot, verdict: 'again' | 'done'): Promise<void> {
  return send(slot, Buffer.from(`${verdict}\n`));
}

async function send({ directory }: Slot, bytes: Buffer): Promise<void> {
  let rest = bytes;
  const fd = openSync(join(directory, 'request'), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    while (rest.length > 0) {
      const written = writeNow(fd, rest);
      rest = rest.subarray(written);
      if (written === 0) await pause(1);
    }
  } finally {
    closeSync(fd);
  }
}

/** A file beside the pipes, readable inside. */
export function putFile({ directory }: Slot, name: string, text: string): void {
  writeFileSync(join(directory, name), text, { mode: 0o600 });
}

/** What the run alone needed. */
export function clearFiles({ directory }: Slot): void {
  for (const name of ['preamble', 'command']) rmSync(join(directory, name), { force: true });
}

/** Nobody opens these any more. */
export function removeSlot({ directory }: Slot): void {
  rmSync(directory, { recursive: true, force: true });
}
