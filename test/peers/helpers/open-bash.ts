import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bash, type BashOptions, createBash } from 'nacre';
import { onTestFinished } from 'vitest';

/** A tool with a directory and a state of its own, closed after the test. */
export function openBash(options: BashOptions = {}): { bash: Bash; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'nacre-peer-'));
  const bash = createBash({
    cwd: directory,
    stateDirectory: join(directory, 'state'),
    jobsAtExit: 'stop',
    ...options,
  });
  onTestFinished(async () => {
    await bash.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { bash, directory };
}
