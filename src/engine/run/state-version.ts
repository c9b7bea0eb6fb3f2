import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NacreError } from '../../errors.ts';

/**
 * The version of everything in a state directory: run records, session states, the index.
 *
 * It grows when an older nacre could misread what this one writes. A directory without the file has version 1.
 */
const VERSION = 1;
const FILE = 'version';

/** Version of `run.json`. A record without a version has format 1. */
export const RUN_RECORD_FORMAT = 1;

/** @throws {NacreError} `state_newer` when a newer nacre has written the state directory */
export function requireStateVersion(stateDirectory: string): void {
  const found = readVersion(stateDirectory);
  if (found > VERSION)
    throw new NacreError('state_newer', { directory: stateDirectory, found, known: VERSION });
}

/** Marks a new state directory. */
export function writeStateVersion(stateDirectory: string): void {
  writeFileSync(join(stateDirectory, FILE), `${VERSION}\n`, { mode: 0o600 });
}

function readVersion(stateDirectory: string): number {
  try {
    return Number.parseInt(readFileSync(join(stateDirectory, FILE), 'latin1'), 10) || VERSION;
  } catch {
    // No such file: a new directory, or one of nacre 0.1.
    return VERSION;
  }
}
