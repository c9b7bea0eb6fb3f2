/**
 * Draws the console as it is: `node scripts/console-pictures.js [name]`. nacre runs itself on a terminal, keys are sent to it, and what is
 * then on the screen becomes an SVG. Nothing is drawn by hand.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBash } from '../dist/index.js';
import { toSvg } from './draw-screen.js';
import { screenOf, until } from './read-screen.js';

const ROOT = join(import.meta.dirname, '..');
const SIZE = { columns: 96, rows: 26 };

const place = mkdtempSync(join(tmpdir(), 'nacre-picture-'));
const project = join(place, 'shop');
mkdirSync(project);
execFileSync('git', ['init', '-q', '-b', 'checkout', project]);
writeFileSync(
  join(project, 'test.sh'),
  'for i in $(seq 1 2400); do echo "ok $i - adds up $i"; done\necho "not ok 2401 - rounds half to even"\necho "  expected 2, got 3 (cart.test.js:41)"\nexit 1\n',
);
const bash = createBash({
  cwd: project,
  stateDirectory: join(place, 'outer'),
  policy: { enabled: false },
  env: { HOME: place, XDG_STATE_HOME: join(place, 'state'), PATH: process.env.PATH ?? '', EDITOR: 'vi' },
  jobsAtExit: 'stop',
});

const PICTURES = {
  console: {
    steps: [
      ['git status --short --branch\r', 'exit 0'],
      ['bash test.sh\r', 'not shown'],
      ['!echo "as myself, in $(basename $PWD)"\r', 'as myself, in shop\n'],
    ],
  },
  'console-question': {
    env: { NACRE_POLICY_APPROVALS_OTHERWISE: 'ask' },
    steps: [['cd /srv && sudo systemctl restart shop && curl -fsS localhost:8080/health\r', 'May this run']],
  },
  'console-sandbox': {
    words: '--on sandbox',
    steps: [
      ['cd /tmp && echo draft >plan.txt; MODE=trial\r', 'exit 0'],
      ['cat plan.txt; echo "$MODE in $PWD"\r', 'trial in /tmp'],
      ['cp plan.txt /usr/share/\r', 'Writing is allowed only'],
      ['git ls-remote https://git.example.org/shop\r', 'no network'],
    ],
  },
  'console-jobs': {
    steps: [
      [
        '{"command": "python3 -um http.server 8123 --bind 127.0.0.1", "service": {"name": "web", "ready": {"port": 8123}}}\r',
        'continues as a job',
      ],
      [
        '{"command": "for i in 1 2 3 4 5 6 7 8 9; do echo building part $i; sleep 4; done", "async": true}\r',
        'job',
      ],
      ['{"command": "echo fetching; exit 7", "async": true}\r', 'job'],
      ['\x02', 'building part'],
    ],
  },
};

try {
  for (const [name, picture] of Object.entries(PICTURES)) {
    if (process.argv[2] !== undefined && process.argv[2] !== name) continue;
    writeFileSync(join(ROOT, `docs/pictures/${name}.svg`), await draw(picture));
    process.stdout.write(`docs/pictures/${name}.svg\n`);
  }
} finally {
  await bash.close();
  rmSync(place, { recursive: true, force: true });
}

async function draw({ steps, env = {}, words = '' }) {
  const program = `exec ${process.execPath} ${join(ROOT, 'bin/nacre.cjs')} console --session demo ${words}`;
  const { run } = await bash.call({
    command: `stty rows ${SIZE.rows} cols ${SIZE.columns}; ${program}`,
    pty: true,
    async: true,
    env,
  });
  const { id } = run.job;
  await until(bash, { id, size: SIZE, sign: '/help' });
  for (const [keys, sign] of steps) {
    await bash.jobs.send(id, { text: keys });
    await until(bash, { id, size: SIZE, sign });
  }
  // What is measured from one second to the next needs two of them.
  await pause(2_500);
  const screen = await screenOf(bash, { id, size: SIZE });
  await bash.jobs.kill(id, { escalate: true });
  const svg = toSvg(screen.painted(), SIZE);
  screen.close();
  return svg;
}
