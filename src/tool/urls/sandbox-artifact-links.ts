import { existsSync, linkSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateDirectory } from '../../engine/process/state-files.ts';

/**
 * Artifacts where a sandbox sees them. It has one folder, read-only, and nothing of the runs themselves: what a command
 * names is linked there, so that it is the same file, as long as this program needs it.
 */
export class SandboxArtifactLinks {
  readonly #directory: string;
  readonly #made = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The same files by paths that can be read inside. */
  link(paths: readonly string[]): readonly string[] {
    if (paths.length === 0) return paths;
    makePrivateDirectory(this.#directory);
    this.#removeStaleLinks(dirname(dirname(paths[0] as string)));
    return paths.map((path) => this.#linkFile(path));
  }

  close(): void {
    for (const path of this.#made) rmSync(path, { force: true });
  }

  #linkFile(path: string): string {
    const shown = join(this.#directory, `${basename(dirname(path))}-${basename(path)}`);
    if (!existsSync(shown)) linkSync(path, shown);
    this.#made.add(shown);
    return shown;
  }

  /** A run that was forgotten meanwhile, by a program that was killed before it could clear away. */
  #removeStaleLinks(runs: string): void {
    for (const name of readdirSync(this.#directory)) {
      const [id = ''] = name.split('-');
      if (!existsSync(join(runs, id))) rmSync(join(this.#directory, name), { force: true });
    }
  }
}
