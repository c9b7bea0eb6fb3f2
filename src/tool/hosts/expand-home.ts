import { homedir } from 'node:os';
import { join } from 'node:path';

/** A path as a person wrote it for this machine. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
