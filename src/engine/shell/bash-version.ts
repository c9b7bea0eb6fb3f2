import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

export interface BashVersion {
  readonly major: number;
  readonly minor: number;
  /** As bash says it: `5.2.15(1)-release`. */
  readonly text: string;
}

/** What every bash carries in its binary, so that `what` and `ident` can tell its version. */
const STAMP = '@(#)Bash version ';
const STAMP_LENGTH = 64;
const MAX_BINARY_BYTES = 32 * 1024 * 1024; // a static bash with debug symbols has about 6 MB

/**
 * The version of the bash at a path, or `null` when it is no bash.
 *
 * Reading it from the binary takes a millisecond and starts nothing. Only a file without the stamp,
 * such as a wrapper script, is asked by running it.
 */
export function readBashVersion(path: string): BashVersion | null {
  return versionInBinary(path) ?? versionByAsking(path);
}

function versionInBinary(path: string): BashVersion | null {
  if (statSync(path).size > MAX_BINARY_BYTES) return null;
  let binary: Buffer;
  try {
    binary = readFileSync(path);
  } catch {
    return null; // executable but not readable: it can still be asked
  }
  const start = binary.indexOf(STAMP);
  if (start < 0) return null;
  const stamp = binary.toString('latin1', start + STAMP.length, start + STAMP.length + STAMP_LENGTH);
  return parseBashVersion(stamp.replace(/^(\S+) (\w+)/, '$1-$2'));
}

function versionByAsking(path: string): BashVersion | null {
  const asked = spawnSync(path, ['-c', 'printf %s "$BASH_VERSION"'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 5_000,
    killSignal: 'SIGKILL',
  });
  return asked.status === 0 ? parseBashVersion(asked.stdout) : null;
}

export function parseBashVersion(text: string): BashVersion | null {
  const found = /^(\d+)\.(\d+)[\w.()-]*/.exec(text);
  if (found === null) return null;
  return { major: Number(found[1]), minor: Number(found[2]), text: found[0] };
}
