import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { NacreError } from '../../errors.ts';

/** A configured shell path and the setting it comes from, for error messages. */
interface ConfiguredShell {
  readonly path: string;
  /** Such as `shellPath in /home/ada/.config/nacre/settings.json`. */
  readonly source: string;
}

/** Where to look for bash. */
export interface ShellSearch {
  /** `null`: search for a bash. */
  readonly configured: ConfiguredShell | null;
  /** The value of `PATH`. */
  readonly searchPath: string;
}

const STANDARD_SHELL_PATHS: readonly string[] = ['/bin/bash', '/usr/bin/bash'];

/** Finds the absolute path of the bash to run, or throws `shell_missing`. */
export function findShell({ configured, searchPath }: ShellSearch): string {
  if (configured !== null) return checkConfigured(configured);
  const standard = STANDARD_SHELL_PATHS.find(isUsableStandardShell);
  if (standard !== undefined) return standard;
  const found = shellCandidatesOn(searchPath).find((path) => findShellProblem(path) === null);
  if (found !== undefined) return found;
  throw new NacreError('shell_missing', {
    shell: 'bash',
    reason: `no bash 4.4 or newer is at ${STANDARD_SHELL_PATHS.join(', ')} or on PATH`,
    source: 'Install one, or set shellPath to it.',
  });
}

/** Returns why a path cannot be used as the shell; `null` if it can. */
export function findShellProblem(path: string): string | null {
  if (!isAbsolute(path)) return 'the path is not absolute';
  const obstacle = executableProblem(path);
  if (obstacle !== null) return obstacle;
  const version = readBashVersion(path);
  if (version === null) return 'it is not bash';
  const old = version.major < 4 || (version.major === 4 && version.minor < 4);
  return old ? `it is bash ${version.text}, and 4.4 or newer is needed` : null;
}

function checkConfigured({ path, source }: ConfiguredShell): string {
  const reason = findShellProblem(path);
  if (reason === null) return path;
  throw new NacreError('shell_missing', { shell: path, reason, source: `It is set by ${source}.` });
}

/**
 * On Linux the version is not checked: a system with bash 4.3 in a standard path has a C library that this Node
 * does not start on. macOS has bash 3.2.
 */
function isUsableStandardShell(path: string): boolean {
  return process.platform === 'linux' ? executableProblem(path) === null : findShellProblem(path) === null;
}

function executableProblem(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return 'it is not a file';
  } catch {
    return 'it does not exist';
  }
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return 'it is not executable';
  }
  return null;
}

/** Relative entries are skipped: the current directory is not trusted. */
function shellCandidatesOn(searchPath: string): string[] {
  return searchPath
    .split(':')
    .filter(isAbsolute)
    .map((directory) => join(directory, 'bash'));
}

/** A parsed version of bash. */
export interface BashVersion {
  readonly major: number;
  readonly minor: number;
  /** As in `$BASH_VERSION`: `5.2.15(1)-release`. */
  readonly text: string;
}

/** Version stamp in every bash binary, for `what` and `ident`. */
const STAMP = '@(#)Bash version ';
const STAMP_LENGTH = 64;
const MAX_BINARY_BYTES = 32 * 1024 * 1024; // a static bash with debug symbols has about 6 MB

/**
 * Returns the version of the bash at a path, or `null` if it is not bash.
 *
 * Reading the binary takes a millisecond. Only a file without the stamp, such as a wrapper script, is run.
 */
export function readBashVersion(path: string): BashVersion | null {
  return versionInBinary(path) ?? versionByRunning(path);
}

function versionInBinary(path: string): BashVersion | null {
  if (statSync(path).size > MAX_BINARY_BYTES) return null;
  let binary: Buffer;
  try {
    binary = readFileSync(path);
  } catch {
    return null; // executable but not readable
  }
  const start = binary.indexOf(STAMP);
  if (start < 0) return null;
  const stamp = binary.toString('latin1', start + STAMP.length, start + STAMP.length + STAMP_LENGTH);
  return parseBashVersion(stamp.replace(/^(\S+) (\w+)/, '$1-$2'));
}

function versionByRunning(path: string): BashVersion | null {
  const asked = spawnSync(path, ['-c', 'printf %s "$BASH_VERSION"'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 5_000,
    killSignal: 'SIGKILL',
  });
  return asked.status === 0 ? parseBashVersion(asked.stdout) : null;
}

/** Parses the value of `$BASH_VERSION`; `null` if it is not a version. */
export function parseBashVersion(text: string): BashVersion | null {
  const found = /^(\d+)\.(\d+)[\w.()-]*/.exec(text);
  if (found === null) return null;
  return { major: Number(found[1]), minor: Number(found[2]), text: found[0] };
}

/** The result of `bash -n`; `unknown` when bash crashed, timed out or did not report a line. */
export type BashSyntax = 'valid' | 'unknown' | BashSyntaxError;

/** A syntax error that bash reported. */
export interface BashSyntaxError {
  /** Line of the error, from 1. Bash may run the lines before it. */
  readonly line: number;
  readonly message: string;
}

/** Checks the syntax of a text with `bash -n`, which executes nothing. */
export function checkBashSyntax(text: string, shell: string): BashSyntax {
  const { status, stderr } = spawnSync(shell, ['--norc', '--noprofile', '-n'], {
    input: text,
    encoding: 'utf8',
    // An empty environment: no BASH_ENV file is read, and the messages are English.
    env: {},
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: 5_000,
    killSignal: 'SIGKILL',
  });
  if (status === 0) return 'valid';
  // The messages quote the text. The largest number is used, so that a quotation cannot reduce it.
  const lines = [...(stderr ?? '').matchAll(/\bline (\d+): /g)].map(([, line]) => Number(line));
  const [message] = /\bline \d+: .*/.exec(stderr ?? '') ?? [];
  return status === null || message === undefined ? 'unknown' : { line: Math.max(...lines), message };
}
