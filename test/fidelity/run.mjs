/**
 * Compares nacre with bash: `npm run test:fidelity -- [options]`.
 *
 * Without options: every script of the suite on every route, and many random ones. With `--dir <directory>`: every shell script
 * below it, each in a copy of the directory it lies in, inside a sandbox of its own (bubblewrap: nothing can be written but
 * a private /tmp, no network, no other processes), for they were written by somebody else.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Usage: npm run test:fidelity -- [options]

  --dir <directory>    Compare every shell script below a directory, in a sandbox
  --route <text>       Only routes whose names have this in them
  --env <name=value>   Give scripts one more variable (with --dir)
  --limit <seconds>    How long one script may take (with --dir; default: 20)
  --seed <number>      Start the random scripts of the suite at another number
  --log <file>         Where the lines that differ go (with --dir; default: a file in the temporary directory)
`;

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    route: { type: 'string' },
    env: { type: 'string', multiple: true, default: [] },
    limit: { type: 'string', default: '20' },
    seed: { type: 'string' },
    log: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
const root = resolve(import.meta.dirname, '../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

if (values.help) process.stdout.write(HELP);
else process.exitCode = values.dir === undefined ? runSuite() : runForeign(values.dir);

function runSuite() {
  const route = values.route === undefined ? [] : ['-t', values.route];
  const seed = values.seed === undefined ? {} : { NACRE_FIDELITY_SEED: values.seed };
  const env = { ...process.env, ...seed, NACRE_FIDELITY: 'all' };
  return run([process.execPath, vitest, 'run', '--project', 'fidelity', ...route], env);
}

/** @param {string} given */
function runForeign(given) {
  const directory = resolve(given);
  const log =
    values.log === undefined
      ? join(mkdtempSync(join(tmpdir(), 'nacre-foreign-')), 'differences')
      : resolve(values.log);
  writeFileSync(log, '');
  // What vitest would write there goes nowhere.
  const caches = ['.vite', '.vite-temp'].map((name) => join(root, 'node_modules', name));
  for (const cache of caches) mkdirSync(cache, { recursive: true });
  const env = {
    ...process.env,
    NACRE_FIDELITY_DIR: directory,
    NACRE_FIDELITY_LIMIT: values.limit,
    NACRE_FIDELITY_ROUTE: values.route ?? '',
    NACRE_FIDELITY_ENV: JSON.stringify(Object.fromEntries(values.env.map(toPair))),
    NACRE_FIDELITY_LOG: log,
  };
  const sandbox = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp'],
    ...['--ro-bind', root, root, '--ro-bind', directory, directory, '--bind', log, log],
    ...caches.flatMap((cache) => ['--tmpfs', cache]),
    ...['--unshare-all', '--die-with-parent', '--new-session', '--chdir', root],
  ];
  const config = join(import.meta.dirname, 'foreign/vitest.config.ts');
  const status = run(['bwrap', ...sandbox, '--', process.execPath, vitest, 'run', '--config', config], env);
  process.stdout.write(`The lines that differ: ${log}\n`);
  return status;
}

/** @param {string} text */
function toPair(text) {
  return [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)];
}

/**
 * @param {string[]} words
 * @param {NodeJS.ProcessEnv} env
 */
function run([program = '', ...words], env) {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit', env, cwd: root });
  if (error) process.stderr.write(`${program}: ${error.message}\n`);
  return status ?? 125;
}
