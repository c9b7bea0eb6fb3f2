import type { Run, RunRequest } from '../../engine/hosts/host.ts';
import { NacreError } from '../../errors.ts';
import type { CallContext } from './context.ts';

/** Starts it. A session whose own directory is gone, where only its host can see that, goes back to where it began: the next call works. */
export async function startRun(
  request: RunRequest,
  { host, sessionShell, options }: CallContext,
): Promise<Run> {
  try {
    return await host.start(request);
  } catch (error) {
    const isMissing = error instanceof NacreError && error.code === 'cwd_missing';
    const isOwn = sessionShell !== null && sessionShell.state.cwd === request.cwd;
    if (!isMissing || !isOwn || request.preset !== undefined) throw error;
    sessionShell.goBack();
    throw new NacreError('session_cwd_missing', { cwd: request.cwd, home: options.cwd });
  }
}
