import { accessSync, constants, existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const STANDARD_DIRECTORIES: readonly string[] = ['/usr/bin', '/usr/local/bin', '/bin'];

/** The absolute path of a program, the system's before one that `PATH` brings; `null` when there is none. */
export function findProgram(name: string, searchPath: string): string | null {
  const directories = [...STANDARD_DIRECTORIES, ...searchPath.split(':').filter(isAbsolute)];
  return directories.map((directory) => join(directory, name)).find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const SCRIPT_PATHS: readonly string[] = ['/usr/bin/script', '/bin/script'];

/** The program that makes terminals: util-linux's `script`, which is there wherever Linux is; `null` where it is not. */
export function findTerminalProgram(platform: NodeJS.Platform = process.platform): string | null {
  // Elsewhere a program of the same name takes other words.
  if (platform !== 'linux') return null;
  return SCRIPT_PATHS.find(isExecutable) ?? null;
}

/** The program that gives a shell a session of its own; `null` where there is none. */
export function findSetsid(): string | null {
  return ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path)) ?? null;
}

/** Why no shell can be kept ready on this machine; `null` when they can. */
export function findWarmShellObstacle(
  platform: NodeJS.Platform = process.platform,
  setsid: string | null = findSetsid(),
): string | null {
  if (platform !== 'linux') return 'they need /proc, which only Linux has';
  return setsid === null ? 'there is no setsid(1), which gives each a session of its own' : null;
}

/** Where bash says it is when it was started as `bash`: the first of that name on the search path. */
export function findBashOnPath(searchPath = ''): string | null {
  const found = searchPath
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .find((directory) => isExecutable(join(directory, 'bash')));
  return found === undefined ? null : join(found, 'bash');
}
