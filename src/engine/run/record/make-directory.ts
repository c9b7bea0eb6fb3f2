import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, for the user alone.
 *
 * Not `mkdirSync` with `recursive`: where a directory cannot be made though its parent is there, as in `/proc`, Node tries
 * again for ever.
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let place = path; !existsSync(place) && dirname(place) !== place; place = dirname(place))
    missing.push(place);
  for (const place of missing.reverse()) {
    try {
      mkdirSync(place, { mode: 0o700 });
    } catch (error) {
      // Another program may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
