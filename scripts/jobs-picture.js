/**
 * Draws `nacre jobs` as it is: `node scripts/jobs-picture.js`. Jobs of every kind are started, nacre shows them on a terminal, and
 * what is then on the screen becomes docs/pictures/jobs.svg.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBash } from '../dist/index.js';
import { toSvg } from './draw-screen.js';
import { screenOf, until } from './read-screen.js';

const ROOT = join(import.meta.dirname, '..');
const SIZE = { columns: 110, rows: 26 };

const place = mkdtempSync(join(tmpdir(), 'nacre-picture-'));
const app = join(place, 'shop');
mkdirSync(app);
const options = { cwd: app, policy: { enabled: false }, jobsAtExit: 'stop', storage: { minFreeBytes: 0 } };
const state = join(place, 'state');
const shown = createBash({ ...options, session: 'shop', stateDirectory: join(state, 'nacre') });
const terminal = createBash({
  ...options,
  stateDirectory: join(place, 'outer'),
  env: { HOME: place, XDG_STATE_HOME: state, PATH: process.env.PATH ?? '' },
});

const JOBS = [
  { command: 'echo "240 tests, 240 passed"' },
  { command: 'echo "src/cart.ts(41,7): error TS2322"; exit 2' },
  { command: 'echo "Überprüfung läuft: 在庫を確認しています 📦"; sleep 600' },
  { command: 'i=0; while :; do echo "checkout: order $((i += 1)) sent"; sleep 0.4; done' },
  { command: 'while :; do :; done' },
  {
    command: 'printf "Deploy shop to production? [y/N] "; read -r answer',
    stdin: { open: true },
  },
  {
    command: 'python3 -um http.server 8124 --bind 127.0.0.1',
    service: { name: 'web', ready: { port: 8124 } },
  },
  {
    command:
      'for table in carts orders users; do echo "migrating $table"; sleep 0.2; done; echo ready; sleep 600',
    service: { name: 'database', ready: { log: 'ready' } },
  },
];

try {
  for (const { service, stdin, command } of JOBS) {
    const more = service === undefined ? { async: true } : { service };
    const { error } = await shown.call({ command, ...more, ...(stdin === undefined ? {} : { stdin }) });
    if (error !== undefined) throw new Error(error.message);
  }
  writeFileSync(join(ROOT, 'docs/pictures/jobs.svg'), await draw());
  process.stdout.write('docs/pictures/jobs.svg\n');
} finally {
  await Promise.all([terminal.close(), shown.close()]);
  rmSync(place, { recursive: true, force: true });
}

async function draw() {
  const program = `exec ${process.execPath} ${join(ROOT, 'bin/nacre.cjs')} jobs`;
  const { run } = await terminal.call({
    command: `stty rows ${SIZE.rows} cols ${SIZE.columns}; ${program}`,
    pty: true,
    async: true,
  });
  const { id } = run.job;
  await until(terminal, { id, size: SIZE, sign: 'q back' });
  await terminal.jobs.send(id, { keys: ['down', 'down', 'down', 'down'] });
  // What is measured from one second to the next needs two of them.
  await pause(3_000);
  const screen = await screenOf(terminal, { id, size: SIZE });
  await terminal.jobs.kill(id, { escalate: true });
  const svg = toSvg(screen.painted(), SIZE);
  screen.close();
  return svg;
}
