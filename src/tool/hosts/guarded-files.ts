import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NacreError } from '../../errors.ts';

/** What a sandbox may write, and whose home it is. */
export interface WritableFiles {
  readonly writable: readonly string[];
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What must not be changed, though it lies where a sandbox may write: it decides what runs outside. */
export interface GuardedFiles {
  readonly hidden: readonly string[];
  readonly readable: readonly string[];
  /** The directories around them: each a mount of its own, so that it cannot be moved out of the way. */
  readonly anchors: readonly string[];
}

/** Our settings, what we keep compiled, and our own program. */
export function guardFiles({ writable, home, env }: WritableFiles): GuardedFiles {
  const places = writable.map(realPath);
  refuseHome(places, realPath(home));
  const isInside = (path: string): boolean => places.some((place) => holds(place, path));
  const ours = [
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'nacre'),
    join(env.XDG_CACHE_HOME || join(home, '.cache'), 'nacre'),
  ]
    .map(realPath)
    .filter(isInside);
  // What is not there cannot be covered, and could be made.
  for (const path of ours) mkdirSync(path, { recursive: true, mode: 0o700 });
  const readable = ownProgram().filter(isInside);
  const anchors = [...ours, ...readable].flatMap((path) => aboveIn(places, path));
  return { hidden: ours, readable, anchors: [...new Set(anchors)] };
}

/** The directories between a place and a path in it. */
function aboveIn(places: readonly string[], path: string): string[] {
  const above: string[] = [];
  for (let at = dirname(path); places.some((place) => at !== place && holds(place, at)); at = dirname(at))
    above.push(at);
  return above;
}

/** Whoever logs in runs what lies there, and there is no end to the names. */
function refuseHome(places: readonly string[], home: string): void {
  const found = places.find((place) => holds(place, home));
  if (found === undefined) return;
  const reason = `${found} can be written in it, and is or holds your home (${home}): what is written there runs when you log in. Start in a directory below it, or use sandbox/read-only`;
  throw new NacreError('sandbox_unavailable', { reason });
}

/** The package; of one that is being worked on only what runs. */
function ownProgram(): string[] {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  return [join(root, 'dist'), join(root, 'bin'), join(root, 'package.json')].filter(existsSync).map(realPath);
}

function holds(place: string, path: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

/** Of a path that is not there: as far as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), path.slice(dirname(path).length));
  }
}
