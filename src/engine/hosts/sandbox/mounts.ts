import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxSpec } from './sandbox-spec.ts';

/**
 * One thing a sandbox's files differ in from the machine's. `scratch` is empty, writable and gone with the sandbox;
 * `hide` is empty and stays so.
 */
export interface Mount {
  readonly kind: 'read' | 'write' | 'scratch' | 'hide';
  readonly path: string;
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

/** All that differs, broad before narrow: the narrower one counts, and of two for one path the later in this list. */
export function planMounts(spec: SandboxSpec): Mount[] {
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
  return inOrder(mounts.flatMap(resolved));
}

const read = (path: string): Mount => ({ kind: 'read', path });
const write = (path: string): Mount => ({ kind: 'write', path });
const scratch = (path: string): Mount => ({ kind: 'scratch', path });
const hide = (path: string): Mount => ({ kind: 'hide', path });

function hostKeys(): string[] {
  return ['rsa', 'ecdsa', 'ed25519', 'dsa'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`);
}

/** A directory that holds one of these is a mount of its own, so that it cannot be moved out of the way. */
function guard(workspace: string): Mount[] {
  const guarded = RUN_BY_OTHERS.map((name) => join(workspace, name));
  return [write(join(workspace, '.git')), ...guarded.map(read)];
}

/** What is a link counts where it leads: a mount on a link would be a mount there. What is not there needs nothing. */
function resolved(mount: Mount): Mount[] {
  try {
    return [{ ...mount, path: realpathSync(mount.path) }];
  } catch {
    return [];
  }
}

function inOrder(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  return [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path) || a.path.localeCompare(b.path));
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
