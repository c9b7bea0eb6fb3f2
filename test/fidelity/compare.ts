import {
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
import { removeDirectory } from '../helpers/remove-directory.ts';
import { Nacre } from './nacre.ts';
import { type Printed, Reference, type Seen } from './reference.ts';
import type { Route } from './routes.ts';

/** Runs scripts through bash and through nacre, in the same directory one after the other. */
export class Comparison {
  readonly #directory = mkdtempSync(join(tmpdir(), 'nacre-fidelity-'));
  readonly #reference = new Reference(this.#directory);
  readonly #nacre = new Nacre(this.#directory);
  readonly #environments = new Map<string, Promise<Readonly<Record<string, string>>>>();
  #count = 0;

  async run(script: string, route: Route): Promise<{ readonly bash: Seen; readonly nacre: Seen }> {
    this.#count += 1;
    const cwd = join(this.#directory, `work-${this.#count}`);
    const env = await this.#environmentOf(route);
    const streams = route.options.profile === 'simple' ? 'apart' : 'merged';
    const own = { ...env, PWD: cwd, NACRE_RUN_ID: 'the-run', ...(route.before ? { OLDPWD: '/' } : {}) };
    const bash = await inside(cwd, () => this.#reference.run(script, { cwd, env: own, streams }));
    return { bash, nacre: await this.#through(script, { cwd, route }) };
  }

  close(): void {
    removeDirectory(this.#directory);
  }

  /** What a shell that waited did; one that was not there in time is not what is to be compared. */
  async #through(script: string, { cwd, route }: { cwd: string; route: Route }): Promise<Seen> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const seen = await inside(cwd, () => this.#nacre.run(script, { cwd, route }));
      if (seen.wasReady === (route.ready === true)) return seen;
    }
    throw new Error(`not once through ${route.name}:\n${script.slice(0, 500)}`);
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

/** In an empty directory, whose files are looked at and which goes then. */
async function inside<T extends Printed>(cwd: string, work: () => Promise<T>): Promise<T & Seen> {
  mkdirSync(cwd);
  try {
    const printed = await work();
    return { ...printed, ...normalise(printed), files: describeFiles(cwd) };
  } finally {
    removeDirectory(cwd);
  }
}

/** The numbers of processes, and how long something took. */
function normalise({ out, err }: Printed): { readonly out: string; readonly err: string } {
  const plain = (text: string): string => text.replace(/(line \d+: +)\d+( [A-Z])/g, '$1PID$2');
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
      return stats.isFile() ? `${name} ${mode} ${readFileSync(path, 'latin1')}` : `${name}/ ${mode}`;
    });
  return lines.join('\n');
}
