import { closeSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow, type OpenPath, openPath, parentsBelow } from './open-path.ts';
import type { SandboxSpec } from './sandbox-spec.ts';

/**
 * One thing a sandbox's files differ in from the machine's. `scratch` is empty, writable and gone with the sandbox;
 * `hide` is empty and stays so.
 */
export interface Mount {
  readonly kind: 'read' | 'write' | 'scratch' | 'hide';
  readonly path: string;
}

/** A mount whose path was opened: absolute, without links, and the same file for as long as the descriptor is open. */
export interface OpenMount extends Mount, OpenPath {
  /** Whether a command could replace a directory on the way to it while the mount is made. */
  readonly isExposed: boolean;
}

/** Programs that people keep in their home: without them a command finds no compiler. None of them holds a secret. */
const TOOLS = [
  ...['.nvm', '.volta', '.asdf', '.pyenv', '.rbenv', '.rvm', '.sdkman', '.rustup', '.bun/bin', '.deno/bin'],
  ...['.cargo/bin', '.cargo/env', '.local/bin', '.local/lib', '.local/share/mise', '.local/share/pnpm'],
  ...['.local/share/uv', '.npm-global', '.yarn/bin', 'go/bin', 'go/pkg', '.gitconfig', '.config/git/ignore'],
];

/** Outside of every home, and readable to root: a sandbox of root would show them. */
const SYSTEM_SECRETS = [
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers', '/etc/sudoers.d'],
  ...['/etc/ssl/private', '/etc/krb5.keytab', '/etc/ipsec.secrets', '/etc/wireguard', '/etc/munge'],
  ...['/var/lib/docker', '/var/lib/containers', '/var/lib/kubelet', '/var/spool/cron', '/var/mail'],
  ...['/var/log', '/var/backups', '/boot', '/lost+found', '/swapfile'],
  // What the kernel tells root of everybody.
  ...['/sys/kernel/debug', '/sys/kernel/tracing', '/sys/kernel/security', '/sys/fs/bpf', '/sys/fs/pstore'],
  '/sys/firmware/efi/efivars',
];

/** Kept from being changed in a writable workspace: whoever works there outside would run what they say. */
const RUN_BY_OTHERS = [
  '.git/hooks',
  '.git/config',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.envrc',
  '.nacre',
  '.husky',
];

/** Hidden in a home that can be seen because the workspace is it, or lies around it. */
const HOME_SECRETS = [
  ...[
    '.ssh',
    '.aws',
    '.azure',
    '.gnupg',
    '.kube',
    '.docker',
    '.netrc',
    '.git-credentials',
    '.npmrc',
    '.pypirc',
  ],
  ...[
    '.config/gh',
    '.config/gcloud',
    '.config/hub',
    '.config/op',
    '.config/git/credentials',
    '.password-store',
  ],
  ...[
    '.config/google-chrome',
    '.config/chromium',
    '.mozilla',
    '.local/share/keyrings',
    '.cargo/credentials.toml',
  ],
  ...[
    '.cargo/credentials',
    '.terraform.d',
    '.vault-token',
    '.pgpass',
    '.my.cnf',
    '.bash_history',
    '.zsh_history',
  ],
  ...['.claude', '.claude.json', '.codex', '.gemini', '.config/nacre'],
];

/**
 * All that differs, broad before narrow: the narrower one counts, and of two for one path the later in this list. The
 * caller closes the descriptors with {@link closeMounts}.
 */
export function openMounts(spec: SandboxSpec): OpenMount[] {
  const seen = [spec.workspace, ...spec.readable, ...spec.writable];
  const secrets = HOME_SECRETS.map((name) => join(spec.home, name));
  const mounts: Mount[] = [
    ...['/root', '/home', '/mnt', '/media'].map(hide),
    ...['/tmp', '/var/tmp', '/run', spec.home].map(scratch),
    ...[...SYSTEM_SECRETS, ...hostKeys()].map(hide),
    ...TOOLS.map((name) => read(join(spec.home, name))),
    ...spec.readable.map(read),
    ...spec.writable.map(write),
    spec.isWorkspaceWritable ? write(spec.workspace) : read(spec.workspace),
    ...(spec.isWorkspaceWritable ? guard(spec.workspace) : []),
    ...secrets.filter((path) => seen.some((outer) => `${path}/`.startsWith(`${outer}/`))).map(hide),
    ...[...spec.hidden, spec.stateDirectory].map(hide),
  ];
  return new MountOpener(spec).open(mounts);
}

export function closeMounts(mounts: Iterable<OpenMount>): void {
  for (const { fd } of mounts) closeSync(fd);
}

const read = (path: string): Mount => ({ kind: 'read', path });
const write = (path: string): Mount => ({ kind: 'write', path });
const scratch = (path: string): Mount => ({ kind: 'scratch', path });
const hide = (path: string): Mount => ({ kind: 'hide', path });

function hostKeys(): string[] {
  return ['rsa', 'ecdsa', 'ed25519', 'dsa'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`);
}

/** `.git` is a mount of its own, so that it cannot be moved out of the way. */
function guard(workspace: string): Mount[] {
  const guarded = RUN_BY_OTHERS.map((name) => join(workspace, name));
  const git = join(workspace, '.git');
  // The `.git` file of a worktree names the directory whose hooks git runs.
  return [isDirectory(git) ? write(git) : read(git), ...guarded.map(read)];
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
      for (const path of this.#anchors()) this.#add(write(path));
      return inOrder([...this.#opened.values()]);
    } catch (error) {
      closeMounts(this.#opened.values());
      throw error;
    }
  }

  /** A path that does not exist needs no mount. */
  #add({ kind, path }: Mount): void {
    // In a read-only workspace a link to a secret is followed, so that the secret is hidden where it lies.
    const isFollowed = kind === 'hide' && !this.#spec.isWorkspaceWritable;
    const untrusted = isFollowed ? this.#writable : [this.#workspace, ...this.#writable];
    const opened = openPath(path, { untrusted });
    if (opened === null) return;
    const earlier = this.#opened.get(opened.path);
    if (earlier !== undefined) closeSync(earlier.fd);
    const isExposed = untrusted.some((root) => isBelow(opened.path, root));
    this.#opened.set(opened.path, { ...opened, kind, isExposed });
  }

  /** The writable directories above a mount: each becomes a mount, so that it cannot be moved away with what it holds. */
  #anchors(): string[] {
    const mounts = [...this.#opened.values()];
    const roots = mounts.filter(({ kind, isExposed }) => kind === 'write' && !isExposed);
    const isWritable = (path: string): boolean => {
      const around = mounts.filter((mount) => mount.path === path || isBelow(path, mount.path));
      return inOrder(around).at(-1)?.kind === 'write';
    };
    const parents = mounts
      .filter(({ isExposed }) => isExposed)
      .flatMap(({ path }) => roots.flatMap((root) => parentsBelow(path, root.path)));
    return [...new Set(parents)].filter((path) => !this.#opened.has(path) && isWritable(path));
  }
}

/** Of a path that does not exist: the path itself. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function inOrder(mounts: readonly OpenMount[]): OpenMount[] {
  return [...mounts].sort((a, b) => depth(a.path) - depth(b.path) || a.path.localeCompare(b.path));
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
