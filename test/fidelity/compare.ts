import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BashOptions, createBash } from '../../src/index.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { type Printed, Reference, type Seen } from './reference.ts';

/** One way through nacre. */
export interface Route {
  readonly name: string;
  readonly options: BashOptions;
  /** Commands before the script, in the same session. */
  readonly before?: readonly string[];
}

const AGENT: BashOptions = { profile: 'agent' };

/** Every way a script can be run. */
export const ROUTES: readonly Route[] = [
  { name: 'agent', options: AGENT },
  { name: 'agent without state', options: { ...AGENT, shellState: false } },
  { name: 'agent with earlier state', options: AGENT, before: ['zz_before=1; cd / && cd "$OLDPWD"'] },
  { name: 'modes', options: { profile: 'modes' } },
  { name: 'simple', options: { profile: 'simple' } },
];

const INHERITED = {
  PATH: process.env.PATH,
  HOME: '/nonexistent-home',
  LANG: 'C.UTF-8',
  PWD: '/',
};

/** Runs scripts through bash and through nacre, in the same directory one after the other. */
export class Comparison {
  readonly #directory = mkdtempSync(join(tmpdir(), 'nacre-fidelity-'));
  readonly #reference = new Reference(this.#directory);
  readonly #environments = new Map<string, Readonly<Record<string, string>>>();
  #count = 0;

  async run(script: string, route: Route): Promise<{ readonly bash: Seen; readonly nacre: Seen }> {
    this.#count += 1;
    const cwd = join(this.#directory, `work-${this.#count}`);
    const env = await this.#environment(route);
    const streams = route.options.profile === 'simple' ? 'apart' : 'merged';
    const own = { ...env, PWD: cwd, NACRE_RUN_ID: 'the-run', ...(route.before ? { OLDPWD: '/' } : {}) };
    const bash = await inside(cwd, () => this.#reference.run(script, { cwd, env: own, streams }));
    const nacre = await inside(cwd, () => this.#through(script, { cwd, route }));
    return { bash, nacre };
  }

  close(): void {
    removeDirectory(this.#directory);
  }

  async #through(script: string, { cwd, route }: { cwd: string; route: Route }): Promise<Printed> {
    const bash = createBash({
      cwd,
      stateDirectory: join(this.#directory, 'state'),
      inheritedEnv: INHERITED,
      ...route.options,
    });
    const texts = { out: '', err: '' };
    try {
      for (const command of route.before ?? []) await bash.call({ command });
      const onBytes = (stream: 'out' | 'err', chunk: Buffer): void => {
        texts[stream] += chunk.toString('latin1');
      };
      const { run, error } = await bash.call({ command: script }, { onBytes });
      if (error !== undefined) throw new Error(error.message);
      const { exitCode, signal } = run;
      const hide = (text: string): string => text.replaceAll(run.runId ?? '-', 'the-run');
      return {
        out: hide(texts.out),
        err: hide(texts.err),
        exitCode: signal === null ? exitCode : null,
        signal,
      };
    } finally {
      await bash.close();
    }
  }

  /** What commands of a route have as their environment, asked once. */
  async #environment({ options }: Route): Promise<Readonly<Record<string, string>>> {
    const key = options.profile ?? '';
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const printed = await this.#through('cat /proc/self/environ', {
      cwd: this.#directory,
      route: { name: key, options },
    });
    const pairs = printed.out.split('\0').filter((pair) => pair !== '' && !/^(?:_|SHLVL|OLDPWD)=/.test(pair));
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]),
    );
    this.#environments.set(key, env);
    return env;
  }
}

/** In an empty directory, whose files are looked at and which goes then. */
async function inside(cwd: string, work: () => Promise<Printed>): Promise<Seen> {
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
