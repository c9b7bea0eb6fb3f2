import type { RunRequest } from '../run/request.ts';

/** More than this is not taken from another place: no shell that anybody works in is so large. */
export const MAX_SHELL_BYTES: number = 8 * 1024 * 1024;

/** The request with a path in the place of its mark. */
export function placeShell(request: RunRequest, path: string): RunRequest {
  const { shellMark, preamble, atExit } = request;
  if (shellMark === undefined) return request;
  return {
    ...request,
    preamble: preamble.replaceAll(shellMark, path),
    atExit: atExit.replaceAll(shellMark, path),
  };
}
