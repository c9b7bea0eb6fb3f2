import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, resolve } from 'node:path';
import { NacreError } from '../../errors.ts';
import { badInput } from '../input/check-input.ts';

/** Owner, group and others may enter. */
const EVERYBODY = 0o111;

/** What a directory is taken against. */
export interface DirectoryBase {
  /** The session's. */
  readonly cwd: string;
  readonly home: string | undefined;
}

/** The absolute path of a directory as it was written; symbolic links stay as they are. */
export function resolveDirectory(written: string | null, { cwd, home }: DirectoryBase): string {
  if (written === null) return cwd;
  if (cwd.startsWith('~')) return elsewhere(written, cwd);
  const [, below] = /^~(?:$|\/(.*)$)/s.exec(written) ?? [];
  if (written.startsWith('~') && (written === '~' || below !== undefined)) {
    return resolve(home || homedir(), below ?? '');
  }
  return resolve(cwd, written);
}

/** A home that only another machine knows stays as it is written. */
function elsewhere(written: string, cwd: string): string {
  return /^[~/]/.test(written) ? written : posix.join(cwd, written);
}

/** A command can start only in a directory that is there. Looked at in place: a trip to another thread takes ten times as long. */
export async function checkDirectory(cwd: string): Promise<void> {
  const stats = look(cwd);
  if (!(stats instanceof Error)) {
    if (!stats.isDirectory()) throw new NacreError('cwd_not_directory', { cwd });
    // Where everybody may enter there is nothing to ask.
    if ((stats.mode & EVERYBODY) !== EVERYBODY) requireEntry(cwd);
    return;
  }
  if (stats.code === 'ENOENT') throw new NacreError('cwd_missing', { cwd });
  if (stats.code === 'ENOTDIR') throw new NacreError('cwd_not_directory', { cwd });
  throw badInput('cwd', `cannot be used: ${stats.message}`);
}

function look(path: string): Stats | NodeJS.ErrnoException {
  try {
    return statSync(path);
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** At once: a second trip to the disk would let calls overtake each other. */
function requireEntry(cwd: string): void {
  try {
    accessSync(cwd, constants.X_OK);
  } catch (error) {
    throw badInput('cwd', `cannot be entered: ${error instanceof Error ? error.message : error}`);
  }
}
