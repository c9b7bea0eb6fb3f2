import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Claimant } from '../../../engine/run/record/claim.ts';
import { makeDirectory } from '../../../engine/run/record/make-directory.ts';
import { badInput } from '../../input/check-input.ts';
import type { JobInfo } from '../../runs/job-info.ts';

export interface ServiceNames {
  /** The session's own. */
  readonly directory: string;
  /** Jobs of the session that live, whoever started them. */
  readonly live: () => readonly JobInfo[];
}

/** A start takes milliseconds; whoever takes longer is stuck. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 10;

/** One of a name runs at a time. */
export function requireUnused(name: string, { live }: Pick<ServiceNames, 'live'>): void {
  const same = live().find((job) => job.name === name);
  if (same !== undefined)
    throw badInput('service.name', `${name} is running already, as job ${same.id}: kill that one first`);
}

/** Starts a service while nobody else, in this program or another one, starts one of the same name. */
export async function startOnlyOne<T>(
  name: string,
  names: ServiceNames,
  start: () => Promise<T>,
): Promise<T> {
  const directory = join(names.directory, 'services');
  const path = join(directory, name);
  const claimant = new Claimant(crypto.randomUUID());
  makeDirectory(directory);
  for (const until = performance.now() + PATIENCE_MS; !claimant.take(path); await pause(LOOK_EVERY_MS)) {
    if (performance.now() > until)
      throw badInput(
        'service.name',
        `${name} is being started by another program, which does not come to an end`,
      );
  }
  try {
    requireUnused(name, names);
    return await start();
  } finally {
    claimant.give(path);
  }
}
