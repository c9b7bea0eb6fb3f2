import { closeSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { OpenMount } from './bwrap-arguments.ts';
import { type OpenPath, openPath } from './open-path.ts';

/** One line of `/proc/<pid>/mountinfo` (proc(5)). */
interface MountEntry {
  readonly id: string;
  /** Major and minor number of the file system. */
  readonly device: string;
  /** The directory or file of the file system that is mounted. */
  readonly root: string;
  readonly path: string;
  readonly isReadOnly: boolean;
}

/** The mounts that a sandbox must have. */
export interface MountPlan {
  readonly mounts: readonly OpenMount[];
  /** Other mounted files of the machine, by their path inside. */
  readonly binds: ReadonlyMap<string, string>;
  /** The machine's mounts before the sandbox was built. */
  readonly machine: readonly MountEntry[];
}

/**
 * Compares the mounts of a sandbox with the plan before a command runs. Every planned mount is at its path and
 * is the file that was opened, and no other file of the machine is mounted. Returns the path of a mount that
 * differs, or `null`.
 *
 * bwrap takes paths. A command of another sandbox can exchange the file at a path after the plan was made, at
 * the source or at the mount point (renameat2(2), RENAME_EXCHANGE).
 */
export function findWrongMount(pid: number, plan: MountPlan): string | null {
  const now = readMounts('self');
  const known = new Set([...plan.machine, ...now].map(toKey));
  const devices = new Set(now.map(({ device }) => device));
  const expected = expectedSources(plan, now);
  const entries = readMounts(pid);
  const sourceIn = (entry: MountEntry): string =>
    devices.has(entry.device) ? `${entry.device} ${entry.root}` : OWN;
  const isPlanned = (entry: MountEntry): boolean =>
    known.has(toKey(entry)) || [OWN, expected.get(entry.path)].includes(sourceIn(entry));
  const isInPlace = (mount: OpenMount): boolean => {
    const found = lookInside(pid, mount.path);
    const entry = entries.find(({ id }) => id === found?.mountId);
    if (entry?.path !== mount.path || expected.get(mount.path) !== sourceIn(entry)) return false;
    if (mount.kind === 'scratch' || mount.kind === 'hide') return true;
    const isSame = found?.dev === mount.dev && found.ino === mount.ino;
    return isSame && (mount.kind === 'write' || entry.isReadOnly);
  };
  return (
    entries.find((entry) => !isPlanned(entry))?.path ??
    plan.mounts.find((mount) => !isInPlace(mount))?.path ??
    null
  );
}

/** A file system that the machine has not mounted: it was created for the sandbox and is empty. */
const OWN = 'own';

/** The file that must be mounted at each path. */
function expectedSources({ mounts, binds }: MountPlan, machine: readonly MountEntry[]): Map<string, string> {
  const expected = new Map<string, string>();
  for (const [path, source] of binds) expected.set(path, sourceOf(source, machine));
  for (const { kind, path, isDirectory } of mounts) {
    const isOwn = kind === 'scratch' || (kind === 'hide' && isDirectory);
    expected.set(path, isOwn ? OWN : sourceOf(kind === 'hide' ? '/dev/null' : path, machine));
  }
  return expected;
}

/** Opens a path in the root of a process; `null` if it does not exist or contains a link. */
function lookInside(pid: number, path: string): Omit<OpenPath, 'fd'> | null {
  try {
    const opened = openPath(path, { untrusted: ['/'], root: `/proc/${pid}/root` });
    if (opened === null) return null;
    closeSync(opened.fd);
    return opened;
  } catch {
    return null;
  }
}

function toKey({ device, root, path }: MountEntry): string {
  return `${device} ${root} ${path}`;
}

/** File system of a file of this machine, and its path there. */
function sourceOf(path: string, machine: readonly MountEntry[]): string {
  const opened = openPath(path, { untrusted: [] });
  if (opened === null) return '';
  closeSync(opened.fd);
  const entry = machine.find(({ id }) => id === opened.mountId);
  return entry === undefined ? '' : `${entry.device} ${join(entry.root, relative(entry.path, opened.path))}`;
}

/** The mounts of a process; empty if it has exited. */
export function readMounts(pid: number | 'self'): MountEntry[] {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch {
    return [];
  }
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [id = '', , device = '', root = '', path = '', flags = ''] = line.split(' ');
      return {
        id,
        device,
        root: unescapeOctal(root),
        path: unescapeOctal(path),
        isReadOnly: flags.split(',').includes('ro'),
      };
    });
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
