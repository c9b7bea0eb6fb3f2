import { accessSync, constants } from 'node:fs';
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
