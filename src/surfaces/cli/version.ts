import { readFileSync } from 'node:fs';

/** Reads the version from the nearest package.json above this file; the depth differs in the bundle. */
export function readVersion(): string {
  for (let place = new URL('..', import.meta.url); place.pathname !== '/'; place = new URL('..', place)) {
    const found = readPackage(new URL('package.json', place));
    if (found?.name === 'nacre') return found.version;
  }
  return 'unknown';
}

function readPackage(file: URL): { name: string; version: string } | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
