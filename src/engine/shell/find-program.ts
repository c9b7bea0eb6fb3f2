import { accessSync, constants, existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const STANDARD_DIRECTORIES: readonly string[] = ['/usr/bin', '/usr/local/bin', '/bin'];

/** Finds the absolute path of a program, in standard directories before `PATH`; `null` if there is none. */
export function findProgram(name: string, searchPath: string): string | null {
  const directories = [...STANDARD_DIRECTORIES, ...searchPath.split(':').filter(isAbsolute)];
  return directories.map((directory) => join(directory, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const SCRIPT_PATHS: readonly string[] = ['/usr/bin/script', '/bin/script'];

/** Finds util-linux `script`, which allocates pseudo-terminals; `null` if it is missing. */
export function findTerminalProgram(platform: NodeJS.Platform = process.platform): string | null {
  // BSD `script` has other options.
  if (platform !== 'linux') return null;
  return SCRIPT_PATHS.find(isExecutable) ?? null;
}

/** Finds `setsid(1)`; `null` if it is missing. */
export function findSetsid(): string | null {
  return ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path)) ?? null;
}

/** Returns why warm shells cannot be used on this machine; `null` if they can. */
export function findWarmShellObstacle(
  platform: NodeJS.Platform = process.platform,
  setsid: string | null = findSetsid(),
): string | null {
  if (platform !== 'linux') return 'they need /proc, which only Linux has';
  return setsid === null ? 'there is no setsid(1), which gives each a session of its own' : null;
}

/** The value of `$BASH` in a shell that was started as `bash`: the first bash in `PATH`. */
export function findBashOnPath(searchPath = ''): string | null {
  const found = searchPath
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .find((directory) => isExecutable(join(directory, 'bash')));
  return found === undefined ? null : join(found, 'bash');
}
