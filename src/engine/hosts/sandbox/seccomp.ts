import { ARCHITECTURES, type Architecture } from './seccomp-rules.ts';

export interface FilterOptions {
  /** Whether sockets between processes of the machine can be opened. By path they go through read-only mounts. */
  readonly unixSockets: boolean;
}

/** One instruction of the kernel's packet filter, as `struct sock_filter` has it. */
interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_NOT_BELOW = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** `struct seccomp_data`: the call, the architecture, and the low halves of the arguments. */
const NUMBER = 0;
const AUDIT = 4;
const argument = (index: number): number => 16 + 8 * index;

/** Every kind of namespace: mount, cgroup, uts, ipc, user, pid, net, time. */
const NEW_NAMESPACE = 0x7e02_0080;
/** `CLONE_NEWTIME` is a bit of the exit signal in `clone`. */
const NEW_NAMESPACE_BY_CLONE = 0x7e02_0000;

const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** Typing into a terminal as if somebody sat there. */
const TERMINAL_INJECTIONS = [0x5412, 0x541c];

/**
 * The filter that every process of a sandbox has, as the bytes that `bwrap --seccomp` reads; `null` for a processor whose
 * numbers are not known.
 *
 * It refuses what no namespace keeps out (sockets to the machine below, io_uring, keys), what would undo the namespaces,
 * and what a command has no business with. What it does not name is left to the kernel.
 */
export function assembleFilter({ unixSockets }: FilterOptions, processor: string): Buffer | null {
  const architecture = ARCHITECTURES[processor];
  if (architecture === undefined) return null;
  return toBytes([
    load(AUDIT),
    { code: JUMP_IF_EQUAL, ifTrue: 1, value: architecture.audit },
    refuse(ENOSYS),
    load(NUMBER),
    ...foreign(architecture),
    ...architecture.refused.flatMap((call) => whenCall(call, [refuse(EPERM)])),
    ...architecture.unknown.flatMap((call) => whenCall(call, [refuse(ENOSYS)])),
    // Its arguments lie in memory, where a filter cannot look; who is told that there is none takes clone.
    ...whenCall(architecture.clone3, [refuse(ENOSYS)]),
    ...whenCall(architecture.clone, anyBit(NEW_NAMESPACE_BY_CLONE)),
    ...whenCall(architecture.unshare, anyBit(NEW_NAMESPACE)),
    ...whenCall(architecture.ioctl, [
      load(argument(1)),
      ...TERMINAL_INJECTIONS.flatMap((request) => whenCall(request, [refuse(EPERM)])),
      allow(),
    ]),
    ...whenCall(architecture.socket, sockets(unixSockets)),
    allow(),
  ]);
}

function foreign({ foreignFrom }: Architecture): Instruction[] {
  if (foreignFrom === null) return [];
  return [{ code: JUMP_IF_NOT_BELOW, ifFalse: 1, value: foreignFrom }, refuse(ENOSYS)];
}

function sockets(unixSockets: boolean): Instruction[] {
  return [
    load(argument(0)),
    ...whenCall(AF.inet, [allow()]),
    ...whenCall(AF.inet6, [allow()]),
    ...whenCall(AF.unix, [unixSockets ? allow() : refuse(EPERM)]),
    // Only the routing kind: who lists the machine's addresses needs it, and a network namespace has its own.
    ...whenCall(AF.netlink, [load(argument(2)), ...whenCall(0, [allow()]), refuse(EPERM)]),
    refuse(EAFNOSUPPORT),
  ];
}

function anyBit(mask: number): Instruction[] {
  return [load(argument(0)), { code: JUMP_IF_ANY_BIT, ifFalse: 1, value: mask }, refuse(EPERM), allow()];
}

/** The body is for one value of what was loaded, and must return. */
function whenCall(value: number, body: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_IF_EQUAL, ifFalse: body.length, value }, ...body];
}

function load(offset: number): Instruction {
  return { code: LOAD, value: offset };
}

function allow(): Instruction {
  return { code: RETURN, value: ALLOW };
}

function refuse(error: number): Instruction {
  return { code: RETURN, value: ERRNO | error };
}

function toBytes(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
