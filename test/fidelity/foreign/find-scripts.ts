import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A script that is not ours. */
export interface ForeignScript {
  readonly name: string;
  readonly text: string;
  /** Where it lies, and what it may look for. */
  readonly directory: string;
}

/** Longer ones are no argument of `bash -c`. */
const MOST_BYTES = 120 * 1024;
const NAMED = /\.(?:sh|bash|tests|sub)$/;
const FIRST_LINE = /^#! *\S*(?:\/|env +)(?:ba)?sh\b/;

/** Every shell script below a directory: by the end of its name, or by its first line. */
export function findScripts(root: string): ForeignScript[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((name) => {
      const path = join(root, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile() || stats.size === 0 || stats.size > MOST_BYTES) return [];
      const text = readText(path);
      if (text === null || !(NAMED.test(name) || FIRST_LINE.test(text))) return [];
      return [{ name: relative(root, path), text, directory: dirname(path) }];
    });
}

/** What cannot be given to a shell as text is none. */
function readText(path: string): string | null {
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  return text.includes('\0') || !Buffer.from(text).equals(bytes) ? null : text;
}
