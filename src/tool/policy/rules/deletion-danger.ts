import { wordList } from '../../../engine/text/word-list.ts';
import { type Field, toLiteral } from '../values/field.ts';
import { type FieldPath, toAbsolutePath } from '../values/field-path.ts';
import { isBroadPattern, mayMatchName } from '../values/field-pattern.ts';

/** Description of what a deletion would destroy; `null` when it is not dangerous. */
export type DeletionDanger = string | null;

/** Directories of the host that a script may name by their absolute path. */
export interface HostDirectories {
  readonly home: string | null;
  readonly cwd: string | null;
  /** Whether every path below `~` is protected, or only the home directory itself. */
  readonly homeSubpaths: 'block' | 'allow';
}

/** Returns the danger of deleting a path recursively. */
export function findDeletionDanger(path: FieldPath, directories: HostDirectories): DeletionDanger {
  return (
    findGitDanger(path) ??
    findWholeDirectoryDanger(path) ??
    findHomeDanger(path, directories) ??
    findAbsolutePathDanger(path, directories)
  );
}

// Files without which a repository is lost. Locks, hooks and interrupted rebases may be deleted.
const GIT_CORE = ['objects', 'refs', 'HEAD', 'config', 'index', 'packed-refs', 'logs'];

function findGitDanger({ names, base }: FieldPath): DeletionDanger {
  const last = names.at(-1);
  if (last === undefined) return null;
  if (couldBeGit(last)) return 'a .git directory';
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
  // An unknown piece alone is no reason to refuse.
  if (name.some(({ kind }) => kind !== 'text' && kind !== 'glob')) return false;
  // A path anywhere below a directory is covered by the check of the directory.
  const [only] = name;
  if (name.length === 1 && only?.kind === 'glob' && only.deep && only.text === '*') return false;
  return mayMatchName(name, '.git');
}

function hasUnknownPart(name: Field): boolean {
  return name.some(({ kind }) => kind === 'unknown');
}

/** The base directory itself, or everything in it. */
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

const TOP_DIRECTORIES = wordList('bin boot dev etc home lib lib64 opt proc root run sbin srv sys usr var');

const HOMES: ReadonlySet<string> = new Set(['/home', '/Users', '/root']);

/** Absolute paths that name one of these directories or contain one. */
function findAbsolutePathDanger(path: FieldPath, { home, cwd }: HostDirectories): DeletionDanger {
  if (path.base !== 'root') return null;
  const [first] = path.names;
  if (path.names.length === 1 && first !== undefined && toLiteral(first) === null && !hasUnknownPart(first)) {
    const matches = TOP_DIRECTORIES.filter((name) => mayMatchName(first, name));
    if (matches.length > 1) return 'several directories at the root';
  }
  const text = toAbsolutePath(withoutBroadEnd(path));
  if (text === null) return null;
  if (HOMES.has(text)) return 'the directory of all home directories';
  if (home !== null && isAtOrAbove(text, home)) return 'the home directory';
  const wholeCwd = cwd !== null && cwd !== '/' && isAtOrAbove(text, cwd);
  return wholeCwd ? 'the working directory' : null;
}

function withoutBroadEnd(path: FieldPath): FieldPath {
  const last = path.names.at(-1);
  return last !== undefined && isBroadPattern(last) ? { ...path, names: path.names.slice(0, -1) } : path;
}

function isAtOrAbove(directory: string, path: string): boolean {
  return directory === path || path.startsWith(`${directory}/`);
}
