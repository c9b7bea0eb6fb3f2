import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { readBashVersion } from './bash-version.ts';

/** A shell somebody asked for, and where they did, so that an error can say what to change. */
interface ConfiguredShell {
  readonly path: string;
  /** Such as `shellPath in /home/ada/.config/nacre/settings.json`. */
  readonly source: string;
}

export interface ShellSearch {
  /** `null`: nobody chose one, so it is searched for. */
  readonly configured: ConfiguredShell | null;
  /** The value of `PATH`. */
  readonly searchPath: string;
}

const STANDARD_PATHS: readonly string[] = ['/bin/bash', '/usr/bin/bash'];

/** The absolute path of the bash to run, or a `shell_missing` error that says what to change. */
export function findShell({ configured, searchPath }: ShellSearch): string {
  if (configured !== null) return checkConfigured(configured);
  const standard = STANDARD_PATHS.find(isTrusted);
  if (standard !== undefined) return standard;
  const found = candidatesOn(searchPath).find((path) => problemWith(path) === null);
  if (found !== undefined) return found;
  throw new NacreError('shell_missing', {
    shell: 'bash',
    reason: `no bash 4.4 or newer is at ${STANDARD_PATHS.join(', ')} or on PATH`,
    source: 'Install one, or set shellPath to it.',
  });
}

/** Why a path cannot be the shell, or `null` when it can. */
export function problemWith(path: string): string | null {
  if (!isAbsolute(path)) return 'the path is not absolute';
  const obstacle = whyNotExecutable(path);
  if (obstacle !== null) return obstacle;
  const version = readBashVersion(path);
  if (version === null) return 'it is not bash';
  const old = version.major < 4 || (version.major === 4 && version.minor < 4);
  return old ? `it is bash ${version.text}, and 4.4 or newer is needed` : null;
}

function checkConfigured({ path, source }: ConfiguredShell): string {
  const reason = problemWith(path);
  if (reason === null) return path;
  throw new NacreError('shell_missing', { shell: path, reason, source: `It is set by ${source}.` });
}

/**
 * Where Linux keeps its bash the version is not read: a system old enough to have bash 4.3 there
 * has a C library that this version of Node does not start on. macOS has 3.2.
 */
function isTrusted(path: string): boolean {
  return process.platform === 'linux' ? whyNotExecutable(path) === null : problemWith(path) === null;
}

function whyNotExecutable(path: string): string | null {
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

/** Relative entries are left out: what is in the current directory is not ours to trust. */
function candidatesOn(searchPath: string): string[] {
  return searchPath
    .split(':')
    .filter(isAbsolute)
    .map((directory) => join(directory, 'bash'));
}
