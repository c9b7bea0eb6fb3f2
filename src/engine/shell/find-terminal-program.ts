import { isExecutable } from './find-program.ts';

const STANDARD_PATHS: readonly string[] = ['/usr/bin/script', '/bin/script'];

/** The program that makes terminals: util-linux's `script`, which is there wherever Linux is; `null` where it is not. */
export function findTerminalProgram(platform: NodeJS.Platform = process.platform): string | null {
  // Elsewhere a program of the same name takes other words.
  if (platform !== 'linux') return null;
  return STANDARD_PATHS.find(isExecutable) ?? null;
}
