import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, resolve } from 'node:path';
import { NacreError } from '../../errors.ts';
import { badInputError } from '../contract/input-schema.ts';
import type { CallContext } from './context.ts';
import type { PreparedRequest } from './plan-call.ts';

/** Where a command runs, and where the session was before. */
export interface WorkingDirectory {
  readonly cwd: string;
  /** `OLDPWD` for the command. */
  readonly oldCwd: string | null;
  /** Where the session was when a leading `cd` was taken off the command; `null` when none was. */
  readonly movedFrom: string | null;
}

/** Resolves the working directory of a call against the current directory of its session. */
export async function resolveWorkingDirectory(
  ready: PreparedRequest,
  home: string | undefined,
  context: CallContext,
): Promise<WorkingDirectory> {
  const { state } = ready;
  const from = state?.cwd ?? context.options.cwd;
  const cwd = resolveDirectory(ready.request.cwd, { cwd: from, home });
  if (!ready.directoriesToCreate.includes(cwd) && !context.isSandboxedOrRemote)
    await checkWorkingDirectory({ cwd, from }, context);
  const movedFrom = ready.moved ? from : null;
  return { cwd, movedFrom, oldCwd: movedFrom ?? state?.oldCwd ?? null };
}

/** A session whose own directory is gone goes back to where it began: the next call works. */
async function checkWorkingDirectory(
  { cwd, from }: { readonly cwd: string; readonly from: string },
  { sessionShell, options }: CallContext,
): Promise<void> {
  try {
    await checkDirectory(cwd);
  } catch (error) {
    if (sessionShell === null || from === options.cwd || cwd !== from) throw error;
    sessionShell.returnToStartDirectory();
    throw new NacreError('session_cwd_missing', { cwd, home: options.cwd });
  }
}

/** Owner, group and others may enter. */
const ALL_SEARCH_BITS = 0o111;

/** What a directory is taken against. */
export interface DirectoryBase {
  /** The session's. */
  readonly cwd: string;
  readonly home: string | undefined;
}

/** The absolute path of a directory as it was written; symbolic links stay as they are. */
export function resolveDirectory(written: string | null, { cwd, home }: DirectoryBase): string {
  if (written === null) return cwd;
  if (cwd.startsWith('~')) return resolveRemoteDirectory(written, cwd);
  const [, below] = /^~(?:$|\/(.*)$)/s.exec(written) ?? [];
  if (written.startsWith('~') && (written === '~' || below !== undefined)) {
    return resolve(home || homedir(), below ?? '');
  }
  return resolve(cwd, written);
}

/** A home that only another machine knows stays as it is written. */
function resolveRemoteDirectory(written: string, cwd: string): string {
  return /^[~/]/.test(written) ? written : posix.join(cwd, written);
}

/** A command can start only in a directory that is there. Looked at in place: a trip to another thread takes ten times as long. */
export async function checkDirectory(cwd: string): Promise<void> {
  const stats = statOrError(cwd);
  if (!(stats instanceof Error)) {
    if (!stats.isDirectory()) throw new NacreError('cwd_not_directory', { cwd });
    // Where everybody may enter there is nothing to ask.
    if ((stats.mode & ALL_SEARCH_BITS) !== ALL_SEARCH_BITS) requireSearchPermission(cwd);
    return;
  }
  if (stats.code === 'ENOENT') throw new NacreError('cwd_missing', { cwd });
  if (stats.code === 'ENOTDIR') throw new NacreError('cwd_not_directory', { cwd });
  throw badInputError('cwd', `cannot be used: ${stats.message}`);
}

function statOrError(path: string): Stats | NodeJS.ErrnoException {
  try {
    return statSync(path);
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** At once: a second trip to the disk would let calls overtake each other. */
function requireSearchPermission(cwd: string): void {
  try {
    accessSync(cwd, constants.X_OK);
  } catch (error) {
    throw badInputError('cwd', `cannot be entered: ${error instanceof Error ? error.message : error}`);
  }
}
