import { spawnSync } from 'node:child_process';

const PATIENCE_MS = 500;

/**
 * Whether a terminal does not show what is typed on it, as for a password. A program that reads key by key hides them
 * too, but draws them itself: that is no secret.
 */
export function hidesInput(terminal: string | null): boolean {
  if (terminal === null) return false;
  const { stdout } = spawnSync('stty', ['-F', terminal, '-a'], { encoding: 'utf8', timeout: PATIENCE_MS });
  return /(^|\s)-echo(\s|$)/m.test(stdout ?? '') && /(^|\s)icanon(\s|$)/m.test(stdout ?? '');
}
