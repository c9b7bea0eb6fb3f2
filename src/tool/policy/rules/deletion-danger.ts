import type { Field } from '../values/field.ts';
import { toLiteral } from '../values/field.ts';
import type { FieldPath } from '../values/field-path.ts';
import { toAbsolutePath } from '../values/field-path.ts';
import { isBroadPattern, mayMatchName } from '../values/field-pattern.ts';

/** What deleting a path would cost, in words; `null` when it is nobody's business. */
export type DeletionDanger = string | null;

/** Directories of this machine that a script may also spell out. */
export interface HostDirectories {
  readonly home: string | null;
  readonly cwd: string | null;
  /** Whether everything below `~` counts, or only the home directory itself. */
  readonly homeSubpaths: 'block' | 'allow';
}

/** Looks at a path that a recursive deletion gets. */
export function findDeletionDanger(path: FieldPath, surroundings: HostDirectories): DeletionDanger {
  return (
    findGitDanger(path) ??
    findWholeDirectoryDanger(path) ??
    findHomeDanger(path, surroundings) ??
    findAbsolutePathDanger(path, surroundings)
  );
}

// What a repository cannot do without; a lock, a hook or a half-finished rebase may go.
const GIT_CORE = ['objects', 'refs', 'HEAD', 'config', 'index', 'packed-refs', 'logs'];

function findGitDanger({ names, base }: FieldPath): DeletionDanger {
  const last = names.at(-1);
  if (last === undefined) return null;
  const isGit = (name: Field): boolean => couldBeGit(name);
  if (isGit(last)) return 'a .git directory';
  const above = names.at(-2);
  if (above === undefined || toLiteral(above) !== '.git') return null;
  if (base === 'unknown' && hasUnknownPart(last)) return null;
  return isBroadPattern(last) || GIT_CORE.some((name) => toLiteral(last) === name)
    ? 'the repository in .git'
    : null;
}

function couldBeGit(name: Field): boolean {
  const literal = toLiteral(name);
  if (literal !== null) return literal === '.git';
  // A piece nobody knows could be anything; that alone is no reason.
  if (name.some(({ kind }) => kind !== 'text' && kind !== 'glob')) return false;
  // What lies anywhere below a directory is no more than the directory.
  const [only] = name;
  if (name.length === 1 && only?.kind === 'glob' && only.deep && only.text === '*') return false;
  return mayMatchName(name, '.git');
}

function hasUnknownPart(name: Field): boolean {
  return name.some(({ kind }) => kind === 'unknown');
}

/** The directory itself, or all that is in it. */
function findWholeDirectoryDanger({ base, up, names }: FieldPath): DeletionDanger {
  if (base === 'unknown' || !isWhole(names)) return null;
  const everythingIn = names.length > 0 ? 'everything in ' : '';
  if (base === 'root') return `${everythingIn}the root directory`;
  if (base === 'home') return `${everythingIn}the home directory`;
  if (base === 'repository') return `${everythingIn}the repository`;
  return up > 0
    ? `${everythingIn}a directory above the working directory`
    : `${everythingIn}the working directory`;
}

function isWhole(names: readonly Field[]): boolean {
  if (names.length === 0) return true;
  return names.length <= 2 && names.every((name) => isBroadPattern(name));
}

function findHomeDanger({ base, up, names }: FieldPath, { homeSubpaths }: HostDirectories): DeletionDanger {
  if (base !== 'home') return null;
  if (up > 0 && names.length === 0) return 'a directory above the home directory';
  return homeSubpaths === 'block' ? 'a path below the home directory' : null;
}

const TOP_DIRECTORIES = [
  'bin',
  'boot',
  'dev',
  'etc',
  'home',
  'lib',
  'lib64',
  'opt',
  'proc',
  'root',
  'run',
  'sbin',
  'srv',
  'sys',
  'usr',
  'var',
];

const HOMES: ReadonlySet<string> = new Set(['/home', '/Users', '/root']);

/** Paths written in full that are one of the places above, or hold one of them. */
function findAbsolutePathDanger(path: FieldPath, { home, cwd }: HostDirectories): DeletionDanger {
  if (path.base !== 'root') return null;
  const [first] = path.names;
  const isGlob = path.names.length === 1 && first !== undefined && toLiteral(first) === null;
  if (
    isGlob &&
    TOP_DIRECTORIES.filter((name) => mayMatchName(first, name)).length > 1 &&
    !hasUnknownPart(first)
  )
    return 'several directories at the root';
  const text = toAbsolutePath(withoutBroadEnd(path));
  if (text === null) return null;
  if (HOMES.has(text)) return 'where the home directories are';
  if (home !== null && isAtOrAbove(text, home)) return 'the home directory';
  const wholeCwd = cwd !== null && cwd !== '/' && isAtOrAbove(text, cwd);
  return wholeCwd ? 'the working directory' : null;
}

function withoutBroadEnd(path: FieldPath): FieldPath {
  const last = path.names.at(-1);
  return last !== undefined && isBroadPattern(last) ? { ...path, names: path.names.slice(0, -1) } : path;
}

function isAtOrAbove(directory: string, place: string): boolean {
  return directory === place || place.startsWith(`${directory}/`);
}
