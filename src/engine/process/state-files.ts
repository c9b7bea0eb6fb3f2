import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents with mode 0700.
 *
 * `mkdirSync` with `recursive` is not used: it never returns where a directory cannot be created in an existing parent,
 * as in `/proc`.
 */
export function makePrivateDirectory(path: string): void {
  const missing: string[] = [];
  for (let parent = path; !existsSync(parent) && dirname(parent) !== parent; parent = dirname(parent))
    missing.push(parent);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      // EEXIST: another program created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Replaces a file in one step: readers find the old or the new content, never a part. The mode is 0600. */
export function writeFileAtomically(file: string, text: string, encoding: BufferEncoding = 'utf8'): void {
  withDraft(file, { text, encoding }, (draft) => renameSync(draft, file));
}

/** Creates a complete file in one step; returns `false` when the file exists already. The mode is 0600. */
export function createFileAtomically(file: string, text: string): boolean {
  return withDraft(file, { text, encoding: 'utf8' }, (draft) => {
    try {
      linkSync(draft, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Matches the name of a file that a killed program left half-written; the first group is its pid. */
export const DRAFT_FILE: RegExp = /\.(\d+)(?:-\w+)?\.(?:draft|new)$/;

function withDraft<T>(
  file: string,
  { text, encoding }: { readonly text: string; readonly encoding: BufferEncoding },
  publish: (draft: string) => T,
): T {
  // The random part keeps worker threads of one process apart.
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.draft`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', encoding });
    return publish(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The text of a file; `null` when it cannot be read. */
export function readTextFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The names in a directory; empty when it cannot be read. */
export function listDirectory(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Parses JSON; `null` for text that is missing or damaged. */
export function parseJsonOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
