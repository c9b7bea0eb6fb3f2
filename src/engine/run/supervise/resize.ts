import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../files.ts';
import type { TerminalSize } from './terminal.ts';

const PATIENCE_MS = 2_000;

/** The path of a run's terminal; `null` where it has none, or none yet. */
export function readTerminalPath(directory: string): string | null {
  try {
    const path = readFileSync(join(directory, RUN_FILES.terminal), 'utf8').trim();
    return path.startsWith('/dev/') ? path : null;
  } catch {
    return null;
  }
}

/** Gives a run's terminal another size; its program hears of it by `SIGWINCH`. Nothing where it has none any more. */
export function resizeTerminal(directory: string, { columns, rows }: TerminalSize): Promise<void> {
  const path = readTerminalPath(directory);
  if (path === null) return Promise.resolve();
  const words = ['-F', path, 'rows', String(rows), 'cols', String(columns)];
  // A terminal that has gone meanwhile has no size to set.
  return new Promise((resolve) => {
    execFile('stty', words, { timeout: PATIENCE_MS }, () => resolve());
  });
}
