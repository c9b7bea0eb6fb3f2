import { existsSync } from 'node:fs';
import type { OpenMount } from './mounts.ts';
import { isBelow } from './open-path.ts';
import type { SandboxSpec } from './sandbox-spec.ts';

/** What the words name besides the spec. */
export interface BwrapParts {
  readonly mounts: readonly OpenMount[];
  readonly bwrap: string;
  /** Outside: where the named pipes of the slots are. */
  readonly slots: string;
  /** The script that runs inside. */
  readonly inside: string;
  /** The program that bridges to the network, and what runs it; `null` for none. */
  readonly bridge: { readonly script: string; readonly node: string } | null;
  /** The descriptor the filter is read from. */
  readonly filterFd: number;
  /** The descriptor that bwrap reads a byte from before it runs the program; `null` to run it at once. */
  readonly gateFd: number | null;
  readonly shell: string;
  /** The first words of what is run. */
  readonly program: readonly string[];
}

/** Of the kernel and not of a process: read-only, for root's own files there stay writable to root without any right. */
const KERNEL_FILES = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi'];
const KERNEL_SECRETS = ['/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/key-users', '/proc/timer_list'];

const SMALL_BYTES = 4096;

/**
 * bwrap creates a missing mount point, through links, while the machine's files are at `/oldroot` and writable. A command
 * of another sandbox can put a link there in that moment. So the machine's files become read-only before mounts are made
 * in directories that commands can write to.
 */
const SEAL_MACHINE = ['--ro-bind', '/', '/../oldroot'];

/** Where shells write themselves down. A mount of its own: nobody inside can put anything else in its place. */
export const SHELLS = '/run/nacre-shell';
const SHELLS_BYTES = 32 * 1024 * 1024;

/** The whole command line of one sandbox. */
export function renderBwrap(spec: SandboxSpec, parts: BwrapParts): string[] {
  const { scratchBytes } = spec.limits;
  const { mounts, gateFd } = parts;
  const isWriteBelow = (path: string): boolean =>
    mounts.some((mount) => mount.kind === 'write' && isBelow(mount.path, path));
  const isLate = (mount: OpenMount): boolean =>
    mount.isExposed && mount.kind !== 'write' && !isWriteBelow(mount.path);
  const hidden = mounts.filter(({ kind, isDirectory }) => kind === 'hide' && isDirectory);
  return [
    parts.bwrap,
    '--die-with-parent',
    ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...(spec.network === 'on' ? [] : ['--unshare-net']),
    '--unshare-cgroup-try',
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--size', String(scratchBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--proc', '/proc'],
    ...KERNEL_FILES.filter(existsSync).flatMap((path) => ['--ro-bind', path, path]),
    ...KERNEL_SECRETS.filter(existsSync).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...mounts.filter((mount) => !isLate(mount)).flatMap((mount) => mountWords(mount, scratchBytes)),
    ...SEAL_MACHINE,
    ...mounts.filter(isLate).flatMap((mount) => mountWords(mount, scratchBytes)),
    ...['--ro-bind', parts.slots, '/run/nacre', '--ro-bind', parts.inside, '/run/nacre-inside'],
    ...['--size', String(SHELLS_BYTES), '--perms', '0700', '--tmpfs', SHELLS],
    ...(parts.bridge === null
      ? []
      : [
          '--ro-bind',
          parts.bridge.node,
          '/run/nacre-node',
          '--ro-bind',
          parts.bridge.script,
          '/run/nacre-bridge.mjs',
        ]),
    ...hidden.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
    ...(gateFd === null ? [] : ['--block-fd', String(gateFd)]),
    ...['--chdir', '/', '--seccomp', String(parts.filterFd), '--'],
    ...parts.program,
  ];
}

/** The files of the machine that are mounted besides the planned ones, by their path inside. */
export function fixedBinds({ slots, inside, bridge }: BwrapParts): Map<string, string> {
  return new Map([
    // Those that `--dev` makes.
    ...['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => pair(`/dev/${name}`)),
    ...KERNEL_FILES.map((path) => pair(path)),
    ...KERNEL_SECRETS.map((path) => pair(path, '/dev/null')),
    ...[pair('/run/nacre', slots), pair('/run/nacre-inside', inside)],
    ...(bridge === null
      ? []
      : [pair('/run/nacre-node', bridge.node), pair('/run/nacre-bridge.mjs', bridge.script)]),
  ]);
}

const pair = (path: string, source = path): [string, string] => [path, source];

function mountWords({ kind, path, isDirectory }: OpenMount, scratchBytes: number): string[] {
  switch (kind) {
    case 'read':
      return ['--ro-bind', path, path];
    case 'write':
      return ['--bind', path, path];
    case 'scratch':
      return ['--size', String(scratchBytes), '--perms', scratchMode(path), '--tmpfs', path];
    case 'hide':
      return isDirectory
        ? ['--size', String(SMALL_BYTES), '--perms', '0555', '--tmpfs', path]
        : ['--ro-bind', '/dev/null', path];
  }
}

function scratchMode(path: string): string {
  return path === '/tmp' || path === '/var/tmp' ? '1777' : '0700';
}
