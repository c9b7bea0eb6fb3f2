import { existsSync, linkSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateDirectory } from '../../engine/process/state-files.ts';

/**
 * Hard links to artifacts in a directory that a sandbox can read. The sandbox does not see the run directories.
 */
export class SandboxArtifactLinks {
  readonly #directory: string;
  readonly #made = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Links files and returns the paths of the links. */
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

  /** Removes links to deleted runs that a killed program left. */
  #removeStaleLinks(runs: string): void {
    for (const name of readdirSync(this.#directory)) {
      const [id = ''] = name.split('-');
      if (!existsSync(join(runs, id))) rmSync(join(this.#directory, name), { force: true });
    }
  }
}
