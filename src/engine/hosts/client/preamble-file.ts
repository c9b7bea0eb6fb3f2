import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRequest } from '../../run/request.ts';
import { needsPreamble, renderPreamble } from '../../run/supervise/preamble.ts';

/** What bash reads before a command, for as long as it runs. */
export interface PreambleFile {
  readonly env: Readonly<Record<string, string>>;
  forget(): void;
}

/**
 * The state of a session goes before a command in a file, as everywhere. A client on another machine does not find it: its bash
 * then runs the command as it is, and the result says that the session was not kept.
 */
export function writePreamble(request: RunRequest): PreambleFile {
  // The level of the shell is the client's own: 1 is one that the preamble leaves as it is.
  const around = { ...request, pipeStatus: false, env: { ...request.env, SHLVL: '1' } };
  if (!needsPreamble(around)) return { env: {}, forget: () => undefined };
  // Only we can read it: functions and variables of a session may be anything.
  const directory = mkdtempSync(join(tmpdir(), 'nacre-client-'));
  const file = join(directory, 'preamble');
  writeFileSync(file, renderPreamble(around, directory), { mode: 0o600 });
  return { env: { BASH_ENV: file }, forget: () => rmSync(directory, { recursive: true, force: true }) };
}
