import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BashOptions } from '../../src/index.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { Nacre } from './nacre.ts';
import { type Printed, Reference, type Seen } from './reference.ts';
import type { Route } from './routes.ts';

/** What every script of a comparison is run under. */
export interface Terms {
  readonly limitMs: number;
  /** More variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly options: BashOptions;
  /** The directory of which each script gets a copy to work in; without it an empty one. */
  readonly from?: string;
}

export interface Both {
  readonly bash: Seen;
  readonly nacre: Seen;
}

/** Runs scripts through bash and through nacre, in the same directory one after the other. */
export class Comparison {
  readonly #directory = mkdtempSync(join(tmpdir(), 'nacre-fidelity-'));
  readonly #reference = new Reference(this.#directory);
  readonly #nacre: Nacre;
  readonly #environments = new Map<string, Promise<Readonly<Record<string, string>>>>();
  readonly #terms: Terms;
  #count = 0;

  constructor(terms: Partial<Terms> = {}) {
    this.#terms = { limitMs: 60_000, env: {}, options: {}, ...terms };
    this.#nacre = new Nacre(this.#directory, this.#terms);
  }

  async run(script: string, route: Route): Promise<Both> {
    this.#count += 1;
    const cwd = join(this.#directory, `work-${this.#count}`);
    const env = await this.#environmentOf(route);
    const { limitMs } = this.#terms;
    const streams = route.options.profile === 'simple' ? 'apart' : 'merged';
    const own = { ...env, PWD: cwd, NACRE_RUN_ID: 'the-run', ...(route.before ? { OLDPWD: '/' } : {}) };
    const bash = await this.#inside(cwd, () =>
      this.#reference.run(script, { cwd, env: own, streams, limitMs }),
    );
    return { bash, nacre: await this.#through(script, { cwd, route }) };
  }

  close(): void {
    removeDirectory(this.#directory);
  }

  /** What a shell that waited did; one that was not there in time is not what is to be compared. */
  async #through(script: string, { cwd, route }: { cwd: string; route: Route }): Promise<Seen> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const seen = await this.#inside(cwd, () => this.#nacre.run(script, { cwd, route }));
      if (seen.wasReady === (route.ready === true)) return seen;
    }
    throw new Error(`not once through ${route.name}:\n${script.slice(0, 500)}`);
  }

  /** In a directory of its own, whose files are looked at and which goes then. */
  async #inside<T extends Printed>(cwd: string, work: () => Promise<T>): Promise<T & Seen> {
    const { from } = this.#terms;
    if (from === undefined) mkdirSync(cwd);
    else cpSync(from, cwd, { recursive: true, verbatimSymlinks: true });
    try {
      const printed = await work();
      return { ...printed, ...normalise(printed), files: describeFiles(cwd) };
    } finally {
      removeDirectory(cwd);
    }
  }

  /** What commands of a route have as their environment, asked once. */
  #environmentOf(route: Route): Promise<Readonly<Record<string, string>>> {
    const key = `${route.options.profile} ${route.rc ?? ''}`;
    const known = this.#environments.get(key) ?? this.#askEnvironment(route);
    this.#environments.set(key, known);
    return known;
  }

  async #askEnvironment({ options, rc }: Route): Promise<Readonly<Record<string, string>>> {
    const route = { name: 'asking', options, ...(rc === undefined ? {} : { rc }) };
    const cwd = this.#directory;
    const { out } = await this.#nacre.run('cat /proc/self/environ', { cwd, route });
    const pairs = out.split('\0').filter((pair) => pair !== '' && !/^(?:_|SHLVL|OLDPWD)=/.test(pair));
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]),
    );
    return rc === undefined ? env : { ...env, BASH_ENV: this.#writeConfiguration(rc) };
  }

  /** What a snapshot brings, as plain bash can be told it: at its start, and without a trace. */
  #writeConfiguration(rc: string): string {
    const file = join(this.#directory, 'configuration.sh');
    writeFileSync(file, `unset BASH_ENV\n${rc}\n: bash\n`);
    return file;
  }
}

/** On a machine that has much to do a shell may not be ready in time. */
const TRIES = 10;

/** The numbers of processes, and how long something took. */
function normalise({ out, err }: Printed): { readonly out: string; readonly err: string } {
  // Five places wide: a small number has blanks in front of it.
  const plain = (text: string): string => text.replace(/(line \d+:) +\d+( [A-Z])/g, '$1 PID$2');
  return { out: plain(out), err: plain(err) };
}

function describeFiles(directory: string): string {
  const lines = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      const mode = (stats.mode & 0o777).toString(8);
      return stats.isFile() ? `${name} ${mode} ${read(path)}` : `${name}/ ${mode}`;
    });
  return lines.join('\n');
}

/** A script may leave what cannot be read. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
