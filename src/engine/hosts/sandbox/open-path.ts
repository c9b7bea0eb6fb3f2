import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { NacreError } from '../../../errors.ts';

/** `O_PATH` of x86-64 and arm64; Node has no constant for it. */
const O_PATH = 0o10000000;
const MAX_LINKS = 40;

/** An open file or directory. The descriptor prevents the reuse of its inode number; the caller closes it. */
export interface OpenPath {
  /** Absolute and without links. */
  readonly path: string;
  readonly fd: number;
  readonly isDirectory: boolean;
  readonly dev: bigint;
  readonly ino: bigint;
  /** The mount of the file, as in `/proc/<pid>/mountinfo`. */
  readonly mountId: string;
}

interface OpenPathOptions {
  /**
   * Directories, without links in their paths, that commands can write to. A link below one of them is an
   * error.
   */
  readonly untrusted: readonly string[];
  /** The directory to use as `/`. */
  readonly root?: string;
}

/**
 * Opens a path component by component and follows links only in trusted directories; `null` if it does not
 * exist.
 */
export function openPath(path: string, options: OpenPathOptions, links = 0): OpenPath | null {
  const { untrusted, root = '/' } = options;
  const names = resolve(path).split('/').filter(Boolean);
  let at = '/';
  let fd = -1;
  try {
    fd = openSync(root, O_PATH);
    for (const [index, name] of names.entries()) {
      const next = openSync(`/proc/self/fd/${fd}/${name}`, O_PATH | constants.O_NOFOLLOW);
      closeSync(fd);
      fd = next;
      const parent = at;
      at = resolve(at, name);
      if (!fstatSync(fd).isSymbolicLink()) continue;
      const target = readlinkSync(join(root, at));
      if (untrusted.some((directory) => isBelow(at, directory))) throw linkRefused(at, target);
      closeSync(fd);
      fd = -1;
      if (links === MAX_LINKS) return null;
      return openPath(resolve(parent, target, ...names.slice(index + 1)), options, links + 1);
    }
    const stat = fstatSync(fd, { bigint: true });
    const opened = { path: at, fd, isDirectory: stat.isDirectory(), dev: stat.dev, ino: stat.ino };
    const mountId = readMountId(fd);
    fd = -1;
    return { ...opened, mountId };
  } catch (error) {
    if (error instanceof NacreError) throw error;
    return null;
  } finally {
    if (fd !== -1) closeSync(fd);
  }
}

function readMountId(fd: number): string {
  return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '';
}

/** Whether a path is below a directory; both are absolute and without links. */
export function isBelow(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/** The directories between a directory and a path below it, both excluded. */
export function parentsBelow(path: string, directory: string): string[] {
  const parents: string[] = [];
  for (let at = dirname(path); isBelow(at, directory); at = dirname(at)) parents.push(at);
  return parents;
}

function linkRefused(path: string, target: string): NacreError {
  const reason = `${path} is a symbolic link to ${target}. The sandbox does not follow links where its commands can write. Remove the link, or replace it with the file or directory itself`;
  return new NacreError('sandbox_unavailable', { reason });
}
