import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bash, createBash } from '../../src/index.ts';
import { waiting } from '../helpers/ready.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import type { Terms } from './compare.ts';
import type { Printed } from './reference.ts';
import type { Route } from './routes.ts';

/** What a script did, and whether the shell that ran it had been started ahead. */
interface Ran extends Printed {
  readonly wasReady: boolean;
}

const INHERITED = { PATH: process.env.PATH, LANG: 'C.UTF-8', PWD: '/' };

/** Runs scripts through nacre, each in an instance of its own. */
export class Nacre {
  readonly #directory: string;
  readonly #terms: Terms;
  #count = 0;

  constructor(directory: string, terms: Terms) {
    this.#directory = directory;
    this.#terms = terms;
  }

  async run(script: string, { cwd, route }: { cwd: string; route: Route }): Promise<Ran> {
    this.#count += 1;
    const stateDirectory = join(this.#directory, `state-${this.#count}`);
    const bash = createBash({
      cwd,
      stateDirectory,
      inheritedEnv: { ...INHERITED, HOME: this.#home(route.rc), ...this.#terms.env },
      readyShells: route.ready ? 1 : 0,
      ...route.options,
      ...this.#terms.options,
    });
    try {
      for (const command of route.before ?? []) await bash.call({ command });
      if (route.ready) await untilServed(bash, stateDirectory);
      const ready = waiting(stateDirectory);
      const printed = await print(bash, script, this.#terms);
      return { ...printed, wasReady: ready.includes(printed.id) };
    } finally {
      await bash.close();
      removeDirectory(stateDirectory);
    }
  }

  #home(rc: string | undefined): string {
    if (rc === undefined) return '/dev/null/home';
    const home = join(this.#directory, 'home');
    if (existsSync(home)) return home;
    mkdirSync(home);
    writeFileSync(join(home, '.bashrc'), rc);
    return home;
  }
}

/** Shells are made for what a call needs; once one has been served by such a shell the next one waits for the script. */
async function untilServed(bash: Bash, stateDirectory: string): Promise<void> {
  for (let attempt = 0; attempt < PATIENCE; attempt++) {
    await untilWaiting(stateDirectory, attempt);
    const ready = waiting(stateDirectory);
    const { run } = await bash.call({ command: 'true' });
    if (!ready.includes(String(run.runId))) continue;
    await untilWaiting(stateDirectory, attempt);
    return;
  }
  throw new Error('no shell that waited serves this route');
}

const PATIENCE = 20;
const MOST_MS = 5_000;

async function untilWaiting(stateDirectory: string, attempt: number): Promise<void> {
  const until = performance.now() + MOST_MS;
  while (waiting(stateDirectory).length === 0 && performance.now() < until) await pause(2);
  // It says so before we have opened its streams.
  await pause(8 + attempt * 10);
}

async function print(
  bash: Bash,
  script: string,
  { limitMs }: Terms,
): Promise<Printed & { readonly id: string }> {
  const texts = { out: '', err: '' };
  const onBytes = (stream: 'out' | 'err', chunk: Buffer): void => {
    texts[stream] += chunk.toString('latin1');
  };
  const { run, error } = await bash.call(
    { command: script },
    // Bash had its limit and kept it; on a machine that has much to do the second may be slower than the first.
    { onBytes, signal: AbortSignal.timeout(limitMs * 4) },
  );
  if (error !== undefined) throw new Error(error.message);
  const { exitCode, signal } = run;
  const id = String(run.runId);
  const hide = (text: string): string => text.replaceAll(id, 'the-run');
  return {
    id,
    out: hide(texts.out),
    err: hide(texts.err),
    exitCode: signal === null ? exitCode : null,
    signal,
  };
}
