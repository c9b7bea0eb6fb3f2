interface SeccompOptions {
  /** Whether Unix domain sockets are allowed. A read-only mount does not prevent connections to them. */
  readonly unixSockets: boolean;
  /** Whether the sandbox runs as root: then set-group-ID files are refused, too. */
  readonly isRoot: boolean;
}

/** `struct sock_filter` (linux/filter.h). */
interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_NOT_BELOW = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Offsets in `struct seccomp_data`: system call number, architecture, low half of an argument. */
const NUMBER = 0;
const AUDIT = 4;
const argument = (index: number): number => 16 + 8 * index;

/** All `CLONE_NEW*` flags: mount, cgroup, uts, ipc, user, pid, net, time. */
const NEW_NAMESPACE = 0x7e02_0080;
/** In clone(2), `CLONE_NEWTIME` is part of the exit signal. */
const NEW_NAMESPACE_BY_CLONE = 0x7e02_0000;

/** Bits of a socket type without flags such as `SOCK_CLOEXEC`. */
const SOCKET_TYPE_MASK = 0xf;
const SOCK = { stream: 1, seqpacket: 5 };

/** `S_ISUID` and `S_ISGID`: such a file in the workspace runs with the rights of its owner or group outside. */
const SET_USER_ID = 0o4000;
const SET_GROUP_ID = 0o2000;
/** `O_CREAT` and `__O_TMPFILE`: without them open(2) ignores its mode, and the register has any value. */
const CREATES_FILE = 0x40_0040;

const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** TIOCSTI and TIOCLINUX, which insert input into a terminal. */
const TERMINAL_INJECTIONS = [0x5412, 0x541c];

/**
 * Assembles the filter for `bwrap --seccomp`; `null` for an unknown processor architecture.
 *
 * It refuses what namespaces do not isolate (sockets to the machine, io_uring, keys), what would undo them, files
 * that run with the rights of their owner, and what commands do not need. All other calls are allowed.
 */
export function assembleSeccompFilter(
  { unixSockets, isRoot }: SeccompOptions,
  processor: string,
): Buffer | null {
  const architecture = SECCOMP_ARCHITECTURES[processor];
  if (architecture === undefined) return null;
  // An ordinary user needs set-group-ID directories in shared workspaces, and a filter cannot see the file type.
  const refusedMode = isRoot ? SET_USER_ID | SET_GROUP_ID : SET_USER_ID;
  return toBytes([
    load(AUDIT),
    { code: JUMP_IF_EQUAL, ifTrue: 1, value: architecture.audit },
    refuse(ENOSYS),
    load(NUMBER),
    ...refuseForeignCalls(architecture),
    ...architecture.refused.flatMap((call) => whenEqual(call, [refuse(EPERM)])),
    ...architecture.unknown.flatMap((call) => whenEqual(call, [refuse(ENOSYS)])),
    // Its arguments are in memory that a filter cannot read; on ENOSYS programs use clone.
    ...whenEqual(architecture.clone3, [refuse(ENOSYS)]),
    ...whenEqual(architecture.clone, refuseBits(0, NEW_NAMESPACE_BY_CLONE)),
    ...whenEqual(architecture.unshare, refuseBits(0, NEW_NAMESPACE)),
    ...architecture.modes.flatMap(([call, index]) => whenEqual(call, refuseBits(index, refusedMode))),
    ...architecture.opens.flatMap(([call, index]) =>
      whenEqual(call, [
        load(argument(index)),
        { code: JUMP_IF_ANY_BIT, ifTrue: 1, value: CREATES_FILE },
        allow(),
        ...refuseBits(index + 1, refusedMode),
      ]),
    ),
    ...whenEqual(architecture.ioctl, [
      load(argument(1)),
      ...TERMINAL_INJECTIONS.flatMap((request) => whenEqual(request, [refuse(EPERM)])),
      allow(),
    ]),
    ...whenEqual(architecture.socket, filterSockets(unixSockets)),
    ...(unixSockets ? [] : whenEqual(architecture.socketpair, filterSocketPairs())),
    allow(),
  ]);
}

function refuseForeignCalls({ foreignFrom }: SeccompArchitecture): Instruction[] {
  if (foreignFrom === null) return [];
  return [{ code: JUMP_IF_NOT_BELOW, ifFalse: 1, value: foreignFrom }, refuse(ENOSYS)];
}

function filterSockets(unixSockets: boolean): Instruction[] {
  return [
    load(argument(0)),
    ...whenEqual(AF.inet, [allow()]),
    ...whenEqual(AF.inet6, [allow()]),
    ...whenEqual(AF.unix, [unixSockets ? allow() : refuse(EPERM)]),
    // NETLINK_ROUTE only: it lists addresses, and a network namespace has its own.
    ...whenEqual(AF.netlink, [load(argument(2)), ...whenEqual(0, [allow()]), refuse(EPERM)]),
    refuse(EAFNOSUPPORT),
  ];
}

/**
 * A datagram socket can send to any path although it has a peer; the other types cannot leave their peer.
 * `SOCK_RAW` is `SOCK_DGRAM` in this family (unix(7)).
 */
function filterSocketPairs(): Instruction[] {
  return [
    load(argument(1)),
    { code: AND, value: SOCKET_TYPE_MASK },
    ...whenEqual(SOCK.stream, [allow()]),
    ...whenEqual(SOCK.seqpacket, [allow()]),
    refuse(EPERM),
  ];
}

function refuseBits(index: number, mask: number): Instruction[] {
  return [load(argument(index)), { code: JUMP_IF_ANY_BIT, ifFalse: 1, value: mask }, refuse(EPERM), allow()];
}

/** The body applies if the loaded value is equal, and must return. */
function whenEqual(value: number, body: readonly Instruction[]): Instruction[] {
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

/** Audit architecture and system call numbers of a processor. */
interface SeccompArchitecture {
  readonly audit: number;
  /** First number of a second calling convention (x32), which is refused; `null` if there is none. */
  readonly foreignFrom: number | null;
  readonly clone: number;
  readonly clone3: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly ioctl: number;
  readonly unshare: number;
  /** Calls with a file mode, and the index of that argument. */
  readonly modes: readonly (readonly [call: number, index: number])[];
  /** Calls with flags of open(2) and a mode after them, and the index of the flags. */
  readonly opens: readonly (readonly [call: number, index: number])[];
  readonly refused: readonly number[];
  /** Refused with ENOSYS, so that programs use an alternative. */
  readonly unknown: readonly number[];
}

/** The same on all architectures since Linux 5.2. */
const COMMON = {
  mounts: [428, 429, 430, 431, 432, 433, 442, 467],
  ioUring: [425, 426, 427],
  pidfdGetfd: 438,
  quotactlFd: 443,
  processMadvise: 440,
  fchmodat2: 452,
  // Its flags and mode are in memory that a filter cannot read; on ENOSYS programs use openat.
  openat2: 437,
};

const SHARED_REFUSED = [...COMMON.mounts, COMMON.pidfdGetfd, COMMON.quotactlFd, COMMON.processMadvise];

/** By `process.arch`; other architectures have no sandbox. */
const SECCOMP_ARCHITECTURES: Readonly<Record<string, SeccompArchitecture>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x4000_0000,
    clone: 56,
    clone3: 435,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    unshare: 272,
    // chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat.
    modes: [
      [90, 1],
      [91, 1],
      [268, 2],
      [COMMON.fchmodat2, 2],
      [85, 1],
      [133, 1],
      [259, 2],
    ],
    // open, openat.
    opens: [
      [2, 1],
      [257, 2],
    ],
    refused: [
      // Other processes: ptrace, process_vm_readv, process_vm_writev, kcmp, move_pages, migrate_pages.
      ...[101, 310, 311, 312, 279, 256],
      // Mounts and namespaces: mount, umount2, pivot_root, chroot, setns.
      ...[165, 166, 155, 161, 308],
      // The kernel: kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot, bpf,
      // perf_event_open, userfaultfd, syslog, iopl, ioperm, modify_ldt.
      ...[246, 320, 175, 313, 176, 169, 321, 298, 323, 103, 172, 173, 154],
      // The machine: swapon, swapoff, acct, quotactl, settimeofday, clock_settime, sethostname, setdomainname,
      // vhangup.
      ...[167, 168, 163, 179, 164, 227, 170, 171, 153],
      // Files by handle, file system events, keys: open_by_handle_at, fanotify_init, add_key, request_key,
      // keyctl.
      ...[304, 300, 248, 249, 250],
      ...SHARED_REFUSED,
    ],
    unknown: [...COMMON.ioUring, COMMON.openat2],
  },
  arm64: {
    audit: 0xc00000b7,
    foreignFrom: null,
    clone: 220,
    clone3: 435,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    unshare: 97,
    // fchmod, fchmodat, fchmodat2, mknodat.
    modes: [
      [52, 1],
      [53, 2],
      [COMMON.fchmodat2, 2],
      [33, 2],
    ],
    opens: [[56, 2]],
    refused: [
      ...[117, 270, 271, 272, 239, 238],
      ...[40, 39, 41, 51, 268],
      ...[104, 294, 105, 273, 106, 142, 280, 241, 282, 116],
      ...[224, 225, 89, 60, 170, 112, 161, 162, 58],
      ...[265, 262, 217, 218, 219],
      ...SHARED_REFUSED,
    ],
    unknown: [...COMMON.ioUring, COMMON.openat2],
  },
};
