import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, for the user alone.
 *
 * Not `mkdirSync` with `recursive`: where a directory cannot be made though its parent is there, as in `/proc`, Node tries
 * again for ever.
 */
export function makePrivateDirectory(path: string): void {
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

/** Whole or not at all, and for the user alone. */
export function writeFileAtomically(file: string, text: string): void {
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

/** `null` when it is not there, or not any more. */
export function readTextFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Nothing where there is no such directory yet. */
export function listDirectory(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** `null` for half a text of somebody who was killed. */
export function parseJsonOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
