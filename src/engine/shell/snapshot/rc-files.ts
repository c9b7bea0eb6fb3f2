import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files that a login shell reads, and those they name in plain sight. */
export function rcFiles(home: string): string[] {
  const own = ['.bash_profile', '.bash_login', '.profile', '.bashrc', '.bash_aliases'].map((name) =>
    join(home, name),
  );
  const all = ['/etc/profile', '/etc/bash.bashrc', '/etc/bashrc', ...listFolder('/etc/profile.d'), ...own];
  const named = all.flatMap((path) => sourcedIn(path, home));
  return [...new Set([...all, ...named])];
}

/** What tells whether one of them is another than before. */
export function stampFiles(paths: readonly string[]): string {
  return paths.map((path) => stampOf(path)).join('\n');
}

/** A home that is no directory, or that nobody may enter, has no files. */
function stampOf(path: string): string {
  const stats = statOf(path);
  return stats === undefined ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const SOURCED = /(?:^|[\s;&|])(?:\.|source)\s+"?((?:~|\$HOME|\$\{HOME\}|)\/[^\s"';&|$`)]+)/gm;

function sourcedIn(path: string, home: string): string[] {
  try {
    const text = readFileSync(path, 'utf8').slice(0, 256 * 1024);
    return [...text.matchAll(SOURCED)].map(([, name = '']) => name.replace(/^(?:~|\$HOME|\$\{HOME\})/, home));
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
