import type { Bash } from '../../../index.ts';
import { parseResourceUri } from './resource-uri.ts';

export interface ResourceWatchOptions {
  readonly bash: Bash;
  /** What somebody has subscribed to by name. */
  readonly subscribed: () => Iterable<string>;
  readonly onChange: (uri: string) => void;
}

const LOOK_MS = 1_000;

/** Looks from time to time whether jobs and artifacts have grown or ended; not at all while nobody could want to know. */
export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #seen = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #hasJobs = false;

  constructor(options: ResourceWatchOptions) {
    this.#options = options;
  }

  /** Something may be running, or be subscribed to, that was not before. */
  wake(): void {
    this.#hasJobs = true;
    if (this.#timer !== undefined) return;
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const wanted = new Set([...this.#options.subscribed(), ...this.#runningJobs()]);
    // Those that have just ended are looked at once more.
    for (const uri of new Set([...wanted, ...this.#seen.keys()])) this.#compare(uri);
    for (const uri of this.#seen.keys()) if (!wanted.has(uri)) this.#seen.delete(uri);
    if (wanted.size === 0) this.close();
  }

  #runningJobs(): readonly string[] {
    if (!this.#hasJobs) return [];
    const running = this.#options.bash.jobs.list().filter(({ state }) => state === 'running');
    this.#hasJobs = running.length > 0;
    return running.flatMap(({ id }) => [`job://${id}`, `artifact://${id}`]);
  }

  #compare(uri: string): void {
    const now = this.#fingerprint(uri);
    const before = this.#seen.get(uri);
    this.#seen.set(uri, now);
    if (before !== undefined && before !== now) this.#options.onChange(uri);
  }

  /** What is not there, or not yet, is a state as well. */
  #fingerprint(uri: string): string {
    const parsed = parseResourceUri(uri);
    if (parsed === null) return '';
    try {
      const { artifacts, jobs } = this.#options.bash;
      const { totalBytes } = artifacts.open(parsed.name);
      return parsed.kind === 'artifact' ? `${totalBytes}` : `${totalBytes} ${jobs.find(parsed.id).state}`;
    } catch {
      return '';
    }
  }
}
