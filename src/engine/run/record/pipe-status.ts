import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../files.ts';

/** The statuses of a run's last pipeline; `null` where they were not wanted, or its own EXIT trap took the place. */
export function readPipeStatus(directory: string): number[] | null {
  try {
    const text = readFileSync(join(directory, RUN_FILES.pipeStatus), 'latin1').trim();
    return text.split(' ').map(Number);
  } catch {
    return null;
  }
}
