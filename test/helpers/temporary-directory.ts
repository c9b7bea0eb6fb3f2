import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeDirectory } from './remove-directory.ts';

/** A directory of the running test alone; it is gone when the test is over. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'nacre-test-'));
  onTestFinished(() => removeDirectory(path));
  return path;
}
