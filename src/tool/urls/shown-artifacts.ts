import { existsSync, linkSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from '../../engine/run/record/make-directory.ts';

/**
 * Artifacts where a sandbox sees them. It has one folder, read-only, and nothing of the runs themselves: what a command
 * names is linked there, so that it is the same file, as long as this program needs it.
 */
export class ShownArtifacts {
  readonly #directory: string;
  readonly #made = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The same files by paths that can be read inside. */
  show(paths: readonly string[]): readonly string[] {
    if (paths.length === 0) return paths;
    makeDirectory(this.#directory);
    this.#forgetGone(dirname(dirname(paths[0] as string)));
    return paths.map((path) => this.#link(path));
  }

  close(): void {
    for (const path of this.#made) rmSync(path, { force: true });
  }

  #link(path: string): string {
    const shown = join(this.#directory, `${basename(dirname(path))}-${basename(path)}`);
    if (!existsSync(shown)) linkSync(path, shown);
    this.#made.add(shown);
    return shown;
  }

  /** A run that was forgotten meanwhile, by a program that was killed before it could clear away. */
  #forgetGone(runs: string): void {
    for (const name of readdirSync(this.#directory)) {
      const [id = ''] = name.split('-');
      if (!existsSync(join(runs, id))) rmSync(join(this.#directory, name), { force: true });
    }
  }
}
