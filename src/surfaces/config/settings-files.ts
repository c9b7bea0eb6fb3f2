import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { NacreError } from '../../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsFile {
  readonly path: string;
  readonly text: string;
}

/** The user's own file, whether it exists or not. */
export function userFilePath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME;
  // The XDG specification: a relative path is to be ignored.
  return join(base?.startsWith('/') ? base : join(homeOf(env), '.config'), 'nacre/settings.json');
}

export function readUserFile(env: Environment): SettingsFile | null {
  return read(userFilePath(env));
}

/**
 * `.nacre/settings.json` of the project a directory belongs to.
 *
 * A project ends where its repository does, or below the home directory. Where there is neither, only the
 * directory itself counts: what somebody put into `/tmp` has no say.
 */
export function readProjectFile(cwd: string, env: Environment): SettingsFile | null {
  const home = homeOf(env);
  let found: SettingsFile | null = null;
  for (let directory = cwd; directory !== home; directory = dirname(directory)) {
    found ??= readIn(directory);
    if (existsSync(join(directory, '.git'))) return found;
    if (dirname(directory) === directory) return readIn(cwd);
  }
  return found;
}

/** A directory that we may not enter is no place to run anything: that is said by whoever tries. */
function readIn(directory: string): SettingsFile | null {
  try {
    accessSync(directory, constants.X_OK);
  } catch {
    return null;
  }
  return read(join(directory, '.nacre/settings.json'));
}

function homeOf(env: Environment): string {
  return env.HOME || homedir();
}

function read(path: string): SettingsFile | null {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    if (reason === 'ENOENT' || reason === 'ENOTDIR') return null;
    throw new NacreError('settings_unreadable', { file: path, reason }, { cause });
  }
}
