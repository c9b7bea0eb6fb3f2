import type { StreamName } from '../../engine/run/files.ts';
import type { Shown } from './shown.ts';

/** What is known of a run once its output is complete. */
export interface CollectedRun {
  /** `null` when the full output was not kept. */
  readonly artifactId: string | null;
  readonly failed: boolean;
}

/** Takes in the raw output of one run, and says what is shown of it. Its memory does not grow with the output. */
export interface Collector {
  write(stream: StreamName, chunk: Buffer): void;
  /** The end of what has come so far. */
  tail(): string;
  finish(run: CollectedRun): Promise<Shown>;
}
