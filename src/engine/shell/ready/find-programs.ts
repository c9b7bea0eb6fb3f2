import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from '../find-program.ts';

/** The program that gives a shell a session of its own; `null` where there is none. */
export function findSetsid(): string | null {
  return ['/usr/bin/setsid', '/bin/setsid'].find((path) => existsSync(path)) ?? null;
}

/** Why no shell can be kept ready on this machine; `null` when they can. */
export function findObstacle(
  platform: NodeJS.Platform = process.platform,
  setsid: string | null = findSetsid(),
): string | null {
  if (platform !== 'linux') return 'they need /proc, which only Linux has';
  return setsid === null ? 'there is no setsid(1), which gives each a session of its own' : null;
}

/** Where bash says it is when it was started as `bash`: the first of that name on the search path. */
export function bashName(searchPath = ''): string | null {
  const found = searchPath
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .find((directory) => isExecutable(join(directory, 'bash')));
  return found === undefined ? null : join(found, 'bash');
}
