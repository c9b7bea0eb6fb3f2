import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One script, and where it stands. */
export interface Script {
  readonly area: string;
  readonly name: string;
  readonly text: string;
  /** What on the list of differences it shows; `null` for none. */
  readonly differs: string | null;
}

const DIRECTORY = join(import.meta.dirname, 'scripts');

/** Every script of every area: `### name`, then its text up to the next one. */
export function readScripts(): Script[] {
  return readdirSync(DIRECTORY)
    .sort()
    .flatMap((file) => {
      const area = file.replace('.sh', '');
      const parts = `\n${readFileSync(join(DIRECTORY, file), 'utf8')}`.split(/\n### /).slice(1);
      return parts.map((part) => {
        const [name = ''] = part.split('\n', 1);
        const [, differs = null] = /\[differs: (.*)\]/.exec(name) ?? [];
        return { area, name, differs, text: part.slice(name.length + 1).replace(/\n$/, '') };
      });
    });
}
