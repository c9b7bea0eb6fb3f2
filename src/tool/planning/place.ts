import { NacreError } from '../../errors.ts';
import type { CallContext } from '../running/context.ts';
import { checkDirectory, resolveDirectory } from './directory.ts';
import type { CallRequest } from './request.ts';

/** Where a command runs, and where the session was before. */
export interface Place {
  readonly cwd: string;
  /** `OLDPWD` for the command. */
  readonly oldCwd: string | null;
  /** Where the session was when a leading `cd` was taken off the command; `null` when none was. */
  readonly movedFrom: string | null;
}

/** What decides it. */
interface PlaceRequest {
  readonly request: CallRequest;
  readonly make: readonly string[];
  readonly moved: boolean;
}

/** Taken against where the session is by now. */
export async function findPlace(
  ready: PlaceRequest,
  home: string | undefined,
  context: CallContext,
): Promise<Place> {
  const { sessionShell, options } = context;
  const state = sessionShell?.state ?? null;
  const from = state?.cwd ?? options.cwd;
  const cwd = resolveDirectory(ready.request.cwd, { cwd: from, home });
  if (!ready.make.includes(cwd) && !context.isElsewhere) await checkPlace({ cwd, from }, context);
  const movedFrom = ready.moved ? from : null;
  return { cwd, movedFrom, oldCwd: movedFrom ?? state?.oldCwd ?? null };
}

/** A session whose own directory is gone goes back to where it began: the next call works. */
async function checkPlace(
  { cwd, from }: { readonly cwd: string; readonly from: string },
  { sessionShell, options }: CallContext,
): Promise<void> {
  try {
    await checkDirectory(cwd);
  } catch (error) {
    if (sessionShell === null || from === options.cwd || cwd !== from) throw error;
    sessionShell.goBack();
    throw new NacreError('session_cwd_missing', { cwd, home: options.cwd });
  }
}
