import { readFileSync } from 'node:fs';

/** The version of this package, whose file is above this one: how far depends on whether it was bundled. */
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
