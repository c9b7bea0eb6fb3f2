/** What the filter is made for: the kernel's number for it, and the numbers of its calls. */
export interface Architecture {
  readonly audit: number;
  /** Calls from here on belong to another way of calling, which is refused as a whole; `null` where there is none. */
  readonly foreignFrom: number | null;
  readonly clone: number;
  readonly clone3: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly unshare: number;
  readonly refused: readonly number[];
  /** Refused as if the kernel did not know them: who asks has another way. */
  readonly unknown: readonly number[];
}

/** Numbers that are the same everywhere since 5.2. */
const COMMON = {
  mounts: [428, 429, 430, 431, 432, 433, 442, 467],
  ioUring: [425, 426, 427],
  pidfdGetfd: 438,
  quotactlFd: 443,
  processMadvise: 440,
};

const SHARED_REFUSED = [...COMMON.mounts, COMMON.pidfdGetfd, COMMON.quotactlFd, COMMON.processMadvise];

/** By Node's name of the processor. Elsewhere there is no sandbox. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x4000_0000,
    clone: 56,
    clone3: 435,
    socket: 41,
    ioctl: 16,
    unshare: 272,
    refused: [
      // Other processes: ptrace, process_vm_readv, process_vm_writev, kcmp, move_pages, migrate_pages.
      ...[101, 310, 311, 312, 279, 256],
      // Mounts and namespaces: mount, umount2, pivot_root, chroot, setns.
      ...[165, 166, 155, 161, 308],
      // The kernel itself: kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot, bpf,
      // perf_event_open, userfaultfd, syslog, iopl, ioperm, modify_ldt.
      ...[246, 320, 175, 313, 176, 169, 321, 298, 323, 103, 172, 173, 154],
      // The machine: swapon, swapoff, acct, quotactl, settimeofday, clock_settime, sethostname, setdomainname, vhangup.
      ...[167, 168, 163, 179, 164, 227, 170, 171, 153],
      // Files by handle, all changes of a file system, keys: open_by_handle_at, fanotify_init, add_key, request_key, keyctl.
      ...[304, 300, 248, 249, 250],
      ...SHARED_REFUSED,
    ],
    unknown: COMMON.ioUring,
  },
  arm64: {
    audit: 0xc00000b7,
    foreignFrom: null,
    clone: 220,
    clone3: 435,
    socket: 198,
    ioctl: 29,
    unshare: 97,
    refused: [
      ...[117, 270, 271, 272, 239, 238],
      ...[40, 39, 41, 51, 268],
      ...[104, 294, 105, 273, 106, 142, 280, 241, 282, 116],
      ...[224, 225, 89, 60, 170, 112, 161, 162, 58],
      ...[265, 262, 217, 218, 219],
      ...SHARED_REFUSED,
    ],
    unknown: COMMON.ioUring,
  },
};
