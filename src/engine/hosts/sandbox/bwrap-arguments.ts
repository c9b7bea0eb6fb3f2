import { closeSync, existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitMechanism } from './cgroup-limits.ts';
import { isBelow, type OpenPath, openPath, parentsBelow } from './open-path.ts';
import type { SandboxLimits, SandboxSpec } from './sandbox-spec.ts';

/** Paths and descriptors for the command line of bwrap, in addition to the spec. */
export interface BwrapParts {
  readonly mounts: readonly OpenMount[];
  readonly bwrap: string;
  /** Path on the machine of the directory with the named pipes of the slots. */
  readonly slots: string;
  /** The script that runs as the first program of the sandbox. */
  readonly inside: string;
  /** The network bridge script and the Node that runs it; `null` for none. */
  readonly bridge: { readonly script: string; readonly node: string } | null;
  readonly filterFd: number;
  /** bwrap reads one byte from this descriptor before it runs the program; `null` runs it at once. */
  readonly gateFd: number | null;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

/** Kernel settings, mounted read-only: in a user namespace root could still write to files of root there. */
const KERNEL_FILES = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi'];
const KERNEL_SECRETS = ['/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/key-users', '/proc/timer_list'];

const SMALL_BYTES = 4096;

/**
 * bwrap creates a missing mount point, and follows links to it, while the machine's files are at `/oldroot` and
 * writable. A command of another sandbox can put a link there at that moment. Therefore the machine's files
 * become read-only before mounts are made in directories that commands can write to.
 */
const SEAL_MACHINE = ['--ro-bind', '/', '/../oldroot'];

/** Directory for shell dumps. A separate mount, so that commands cannot replace it. */
export const SHELL_DUMP_DIRECTORY = '/run/nacre-shell';
const SHELL_DUMP_BYTES = 32 * 1024 * 1024;
/** arm64 has pages of up to 64 KiB. */
const LARGEST_PAGE_BYTES = 64 * 1024;

/**
 * Size of each scratch directory. Only a cgroup counts their contents as memory of the sandbox. Without one they
 * share `memoryBytes`.
 */
export function resolveScratchBytes(
  { memoryBytes, scratchBytes }: SandboxLimits,
  { memory, mounts }: { readonly memory: LimitMechanism; readonly mounts: readonly OpenMount[] },
): number {
  if (memoryBytes === null || memory === 'cgroup') return scratchBytes;
  // `/dev/shm` and the directory for shell dumps are not in the list.
  const count = mounts.filter(({ kind }) => kind === 'scratch').length + 2;
  // tmpfs rounds up to a page, and size 0 means no limit.
  const share = Math.floor(memoryBytes / count / LARGEST_PAGE_BYTES) * LARGEST_PAGE_BYTES;
  return Math.min(scratchBytes, Math.max(share, LARGEST_PAGE_BYTES));
}

/** Renders the bwrap command line of a sandbox. */
export function renderBwrapArguments(spec: SandboxSpec, parts: BwrapParts): string[] {
  const { memoryBytes, scratchBytes } = spec.limits;
  const shellDumpBytes = memoryBytes === null ? SHELL_DUMP_BYTES : Math.min(SHELL_DUMP_BYTES, scratchBytes);
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
    ...mounts.filter((mount) => !isLate(mount)).flatMap((mount) => renderMountArguments(mount, scratchBytes)),
    ...SEAL_MACHINE,
    ...mounts.filter(isLate).flatMap((mount) => renderMountArguments(mount, scratchBytes)),
    ...['--ro-bind', parts.slots, '/run/nacre', '--ro-bind', parts.inside, '/run/nacre-inside'],
    ...['--size', String(shellDumpBytes), '--perms', '0700', '--tmpfs', SHELL_DUMP_DIRECTORY],
    ...bridgeBinds(parts).flatMap(([path, source]) => ['--ro-bind', source, path]),
    ...hidden.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
    ...(gateFd === null ? [] : ['--block-fd', String(gateFd)]),
    ...['--chdir', '/', '--seccomp', String(parts.filterFd), '--'],
    ...parts.program,
  ];
}

/** Maps the path inside to the path on the machine for mounts that are not in the mount plan. */
export function fixedBinds(parts: BwrapParts): Map<string, string> {
  return new Map([
    // Made by `--dev`.
    ...['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => pair(`/dev/${name}`)),
    ...KERNEL_FILES.map((path) => pair(path)),
    ...KERNEL_SECRETS.map((path) => pair(path, '/dev/null')),
    pair('/run/nacre', parts.slots),
    pair('/run/nacre-inside', parts.inside),
    ...bridgeBinds(parts),
  ]);
}

function bridgeBinds({ bridge }: BwrapParts): [string, string][] {
  return bridge === null
    ? []
    : [pair('/run/nacre-node', bridge.node), pair('/run/nacre-bridge.mjs', bridge.script)];
}

const pair = (path: string, source = path): [string, string] => [path, source];

function renderMountArguments({ kind, path, isDirectory }: OpenMount, scratchBytes: number): string[] {
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

/**
 * A difference between the files of a sandbox and those of the machine. `scratch`: empty, writable and
 * temporary. `hide`: empty and read-only.
 */
interface Mount {
  readonly kind: 'read' | 'write' | 'scratch' | 'hide';
  readonly path: string;
}

/** A mount with an opened path: absolute, without links, and the same file while the descriptor is open. */
export interface OpenMount extends Mount, OpenPath {
  /** Whether a command could replace a parent directory while the mount is made. */
  readonly isExposed: boolean;
}

/** Directories with programs and settings in a home directory, none of which contains secrets. */
const HOME_TOOLS = (
  '.nvm .volta .asdf .pyenv .rbenv .rvm .sdkman .rustup .bun/bin .deno/bin .cargo/bin .cargo/env ' +
  '.local/bin .local/lib .local/share/mise .local/share/pnpm .local/share/uv .npm-global .yarn/bin ' +
  'go/bin go/pkg .gitconfig .config/git/ignore'
).split(' ');

/** Secrets outside of home directories that root, and so a sandbox of root, can read; `/sys` shows all processes to root. */
const SYSTEM_SECRETS = (
  '/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private ' +
  '/etc/krb5.keytab /etc/ipsec.secrets /etc/wireguard /etc/munge /var/lib/docker /var/lib/containers ' +
  '/var/lib/kubelet /var/spool/cron /var/mail /var/log /var/backups /boot /lost+found /swapfile ' +
  '/sys/kernel/debug /sys/kernel/tracing /sys/kernel/security /sys/fs/bpf /sys/fs/pstore ' +
  '/sys/firmware/efi/efivars'
).split(' ');

/** Read-only in a writable workspace: programs outside the sandbox execute what these files say. */
const PROTECTED_WORKSPACE_FILES = '.git/hooks .git/config .vscode .idea .mcp.json .envrc .nacre .husky'.split(
  ' ',
);

/** Hidden if the home directory is visible because it is in a mounted directory. */
const HOME_SECRETS = (
  '.ssh .aws .azure .gnupg .kube .docker .netrc .git-credentials .npmrc .pypirc .config/gh ' +
  '.config/gcloud .config/hub .config/op .config/git/credentials .password-store .config/google-chrome ' +
  '.config/chromium .mozilla .local/share/keyrings .cargo/credentials.toml .cargo/credentials ' +
  '.terraform.d .vault-token .pgpass .my.cnf .bash_history .zsh_history .claude .claude.json .codex ' +
  '.gemini .config/nacre'
).split(' ');

/**
 * Opens all mounts of a sandbox, parents before children. The innermost mount of a path applies; of two mounts
 * of the same path, the later entry. The caller closes them with {@link closeMounts}.
 */
export function openMounts(spec: SandboxSpec): OpenMount[] {
  const visible = [spec.workspace, ...spec.readable, ...spec.writable];
  const secrets = HOME_SECRETS.map((name) => join(spec.home, name));
  const mounts: Mount[] = [
    ...['/root', '/home', '/mnt', '/media'].map(hideMount),
    ...['/tmp', '/var/tmp', '/run', spec.home].map(scratchMount),
    ...SYSTEM_SECRETS.map(hideMount),
    ...['rsa', 'ecdsa', 'ed25519', 'dsa'].map((kind) => hideMount(`/etc/ssh/ssh_host_${kind}_key`)),
    ...HOME_TOOLS.map((name) => readMount(join(spec.home, name))),
    ...spec.readable.map(readMount),
    ...spec.writable.map(writeMount),
    spec.isWorkspaceWritable ? writeMount(spec.workspace) : readMount(spec.workspace),
    ...(spec.isWorkspaceWritable ? protectWorkspace(spec.workspace) : []),
    ...secrets.filter((path) => visible.some((outer) => `${path}/`.startsWith(`${outer}/`))).map(hideMount),
    ...[...spec.hidden, spec.stateDirectory].map(hideMount),
  ];
  return new MountOpener(spec).open(mounts);
}

/** Closes the descriptors of {@link openMounts}. */
export function closeMounts(mounts: Iterable<OpenMount>): void {
  for (const { fd } of mounts) closeSync(fd);
}

const readMount = (path: string): Mount => ({ kind: 'read', path });
const writeMount = (path: string): Mount => ({ kind: 'write', path });
const scratchMount = (path: string): Mount => ({ kind: 'scratch', path });
const hideMount = (path: string): Mount => ({ kind: 'hide', path });

/** `.git` is a mount of its own, so that it cannot be moved away. */
function protectWorkspace(workspace: string): Mount[] {
  const guarded = PROTECTED_WORKSPACE_FILES.map((name) => join(workspace, name));
  const git = join(workspace, '.git');
  // In a worktree `.git` is a file that names the git directory, which contains the hooks.
  return [isDirectory(git) ? writeMount(git) : readMount(git), ...guarded.map(readMount)];
}

class MountOpener {
  readonly #spec: SandboxSpec;
  readonly #writable: readonly string[];
  readonly #workspace: string;
  readonly #opened = new Map<string, OpenMount>();

  constructor(spec: SandboxSpec) {
    this.#spec = spec;
    this.#workspace = realPath(spec.workspace);
    this.#writable = spec.writable.map(realPath);
  }

  open(mounts: readonly Mount[]): OpenMount[] {
    try {
      for (const mount of mounts) this.#add(mount);
      for (const path of this.#anchors()) this.#add(writeMount(path));
      return orderMounts([...this.#opened.values()]);
    } catch (error) {
      closeMounts(this.#opened.values());
      throw error;
    }
  }

  /** A path that does not exist needs no mount. */
  #add({ kind, path }: Mount): void {
    // In a read-only workspace a link to a secret is followed, so that the secret is hidden at its real path.
    const isFollowed = kind === 'hide' && !this.#spec.isWorkspaceWritable;
    const untrusted = isFollowed ? this.#writable : [this.#workspace, ...this.#writable];
    const opened = openPath(path, { untrusted });
    if (opened === null) return;
    const earlier = this.#opened.get(opened.path);
    if (earlier !== undefined) closeSync(earlier.fd);
    const isExposed = untrusted.some((root) => isBelow(opened.path, root));
    this.#opened.set(opened.path, { ...opened, kind, isExposed });
  }

  /**
   * Writable directories above a mount. Each becomes a mount itself, so that it cannot be moved away with its
   * contents.
   */
  #anchors(): string[] {
    const mounts = [...this.#opened.values()];
    const roots = mounts.filter(({ kind, isExposed }) => kind === 'write' && !isExposed);
    const isWritable = (path: string): boolean => {
      const around = mounts.filter((mount) => mount.path === path || isBelow(path, mount.path));
      return orderMounts(around).at(-1)?.kind === 'write';
    };
    const parents = mounts
      .filter(({ isExposed }) => isExposed)
      .flatMap(({ path }) => roots.flatMap((root) => parentsBelow(path, root.path)));
    return [...new Set(parents)].filter((path) => !this.#opened.has(path) && isWritable(path));
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function orderMounts(mounts: readonly OpenMount[]): OpenMount[] {
  return [...mounts].sort((a, b) => depth(a.path) - depth(b.path) || a.path.localeCompare(b.path));
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

/** Whether a path is a directory or a link to one. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
