/**
 * Draws the console as it is: `node scripts/console-pictures.js`. nacre runs itself on a terminal, keys are sent to it, and what is
 * then on the screen becomes an SVG. Nothing is drawn by hand.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBash, Screen } from '../dist/index.js';

const ROOT = join(import.meta.dirname, '..');
const SIZE = { columns: 96, rows: 26 };
const CELL = { width: 8.4, height: 19 };
const BACK = '#0d1117';
const TEXT = '#d7dae0';

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
  'console-jobs': {
    steps: [
      [
        '{"command": "python3 -um http.server 8123 --bind 127.0.0.1", "service": {"name": "web", "ready": {"port": 8123}}}\r',
        'goes on',
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
    writeFileSync(join(ROOT, `docs/pictures/${name}.svg`), await draw(picture));
    process.stdout.write(`docs/pictures/${name}.svg\n`);
  }
} finally {
  await bash.close();
  rmSync(place, { recursive: true, force: true });
}

async function draw({ steps, env = {} }) {
  const program = `exec ${process.execPath} ${join(ROOT, 'bin/nacre.cjs')} console --session demo`;
  const { run } = await bash.call({
    command: `stty rows ${SIZE.rows} cols ${SIZE.columns}; ${program}`,
    pty: true,
    async: true,
    env,
  });
  const { id } = run.job;
  await until(id, '/help');
  for (const [keys, sign] of steps) {
    await bash.jobs.send(id, { text: keys });
    await until(id, sign);
  }
  // What is measured from one second to the next needs two of them.
  await pause(2_500);
  const screen = await screenOf(id);
  await bash.jobs.kill(id, { escalate: true });
  const svg = toSvg(screen.painted());
  screen.close();
  return svg;
}

async function screenOf(id) {
  const artifact = bash.artifacts.open(id);
  const screen = new Screen(SIZE);
  await screen.write((await artifact.bytes({ from: 0, to: artifact.totalBytes })).bytes);
  return screen;
}

async function until(id, sign) {
  for (let look = 0; look < 400; look++) {
    const screen = await screenOf(id);
    const text = screen.rows().join('\n');
    screen.close();
    if (text.includes(sign)) return;
    await pause(50);
  }
  throw new Error(`The screen never showed ${sign}`);
}

function toSvg(rows) {
  const width = SIZE.columns * CELL.width + 24;
  const height = SIZE.rows * CELL.height + 24;
  const body = rows.map(({ painted }, row) => drawRow(painted, 12 + row * CELL.height)).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<rect width="${width}" height="${height}" rx="8" fill="${BACK}"/>
${body}
</svg>
`;
}

/** One row: pieces of one style each, from the codes between them. */
function drawRow(painted, top) {
  const parts = [];
  let column = 0;
  let style = {};
  for (const piece of painted.split(/(\x1b\[[\d;]*m)/)) {
    const [, codes] = /^\x1b\[([\d;]*)m$/.exec(piece) ?? [];
    if (codes !== undefined) {
      style = styleOf(codes);
      continue;
    }
    const cells = [...piece].length;
    if (cells === 0) continue;
    const left = 12 + column * CELL.width;
    if (style.back)
      parts.push(
        `<rect x="${left}" y="${top}" width="${cells * CELL.width}" height="${CELL.height}" fill="${style.back}"/>`,
      );
    if (piece.trim() !== '')
      parts.push(
        `<text x="${left}" y="${top + 14}" fill="${style.colour ?? TEXT}"${style.bold ? ' font-weight="bold"' : ''} textLength="${cells * CELL.width}" xml:space="preserve">${toXml(piece)}</text>`,
      );
    column += cells;
  }
  return parts.join('');
}

function styleOf(codes) {
  const numbers = codes.split(';').map(Number);
  const style = {};
  for (let at = 0; at < numbers.length; at++) {
    if (numbers[at] === 1) style.bold = true;
    if (numbers[at] === 38 && numbers[at + 1] === 5) style.colour = toColour(numbers[at + 2]);
    if (numbers[at] === 48 && numbers[at + 1] === 5) style.back = toColour(numbers[at + 2]);
    if ((numbers[at] === 38 || numbers[at] === 48) && numbers[at + 1] === 5) at += 2;
  }
  return style;
}

/** The colours of a terminal by number: a cube of six by six by six, then greys. */
function toColour(number) {
  if (number >= 232) return toHex(Array(3).fill(8 + (number - 232) * 10));
  const steps = [0, 95, 135, 175, 215, 255];
  const cube = number - 16;
  return toHex([steps[Math.floor(cube / 36)], steps[Math.floor(cube / 6) % 6], steps[cube % 6]]);
}

function toHex(parts) {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function toXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
