import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from '../find-program.ts';

/** The program that gives a shell a session of its own; `null` where there is none. */
export function findSetsid(): string | null {
  return ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path)) ?? null;
}

/** Where bash says it is when it was started as `bash`: the first of that name on the search path. */
export function bashName(searchPath = ''): string | null {
  const found = searchPath
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .find((directory) => isExecutable(join(directory, 'bash')));
  return found === undefined ? null : join(found, 'bash');
}
