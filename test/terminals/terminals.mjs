/**
 * The console in a real terminal, driven by tmux: keys in, screen out. `npm run test:terminals`
 *
 * Real programs, two sizes, resizes all the while. It needs tmux, vim, less and python3.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../..');
const SOCKET = `nacre-${process.pid}`;
const tmux = (...words) =>
  execFileSync('tmux', ['-L', SOCKET, '-f', '/dev/null', ...words], { encoding: 'utf8' });
const keys = (...words) => tmux('send-keys', '-t', 'n', ...words);
const type = (text) => tmux('send-keys', '-t', 'n', '-l', text);
const screen = () => tmux('capture-pane', '-t', 'n', '-p');
const resize = (size) => tmux('resize-window', '-t', 'n', '-x', size.split('x')[0], '-y', size.split('x')[1]);

async function shows(what) {
  for (let look = 0; look < 400; look++) {
    const text = screen();
    if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
    await pause(50);
  }
  throw new Error(`never showed ${what}:\n${screen()}`);
}

const line = async (text, sign) => {
  type(text);
  keys('Enter');
  return sign === undefined ? '' : shows(sign);
};

const CHECKS = {
  'a plain call': async () => {
    await line('echo hello; exit 3', /hello\n\s+exit 3/);
  },
  'vim writes a file': async (place) => {
    await line('/pty vim -u NONE note.txt', 'New');
    keys('i');
    type('written in vim');
    keys('Escape');
    await line(':wq', '✓ vim');
    assert.equal(readFileSync(join(place, 'note.txt'), 'utf8'), 'written in vim\n');
  },
  'less scrolls with arrows in its own mode, through resizes': async (place) => {
    writeFileSync(join(place, 'long'), Array.from({ length: 500 }, (_, at) => `row ${at + 1}`).join('\n'));
    await line('/pty LESS= less long', 'row 1\n');
    for (const size of ['60x15', '120x40', '80x24']) resize(size);
    for (let press = 0; press < 5; press++) keys('Down');
    await shows('row 6\n');
    type('G');
    await shows('row 500');
    type('q');
    await shows('✓ LESS= less');
  },
  'python asks and is answered': async () => {
    await line('/pty python3 -q', '>>>');
    await line('print(6 * 7)', '42');
    keys('C-d');
    await shows('✓ python3');
  },
  'a hidden password does not show': async () => {
    await line('/pty read -rsp "password: " p; echo; echo "got ${#p}"', /^password: *$/m);
    type('hunter2');
    keys('Enter');
    const text = await shows('got 7');
    assert(!text.includes('hunter2'));
  },
  'a progress bar ends in its last state': async () => {
    await line(
      String.raw`for i in 1 2 3 4 5; do printf '\r%d0 %%' $i; sleep 0.1; done; echo`,
      /50 %\n\s+exit 0/,
    );
    assert(!/10 %/.test(screen()));
  },
  'esc stops, at once': async () => {
    await line('sleep 1000', 'esc stops');
    keys('Escape');
    await shows('cancelled');
  },
  'a million lines': async () => {
    await line('seq 1 1000000', '1000000\n');
  },
};

const results = [];
for (const size of ['80x24', '200x60']) {
  const place = mkdtempSync(join(tmpdir(), 'nacre-terminals-'));
  const program = `cd ${place} && XDG_STATE_HOME=${place}/state ${process.execPath} ${ROOT}/bin/nacre.cjs`;
  try {
    tmux('new-session', '-d', '-s', 'n', '-x', size.split('x')[0], '-y', size.split('x')[1], program);
    await shows('/help');
    for (const [name, check] of Object.entries(CHECKS)) {
      try {
        await check(place);
        results.push(`ok      ${size}  ${name}`);
      } catch (error) {
        results.push(`failed  ${size}  ${name}: ${error.message}`);
        keys('C-]');
      }
      resize(size);
      keys('C-l');
    }
    keys('C-d');
  } finally {
    try {
      tmux('kill-server');
    } catch {
      // It went with its last session.
    }
    rmSync(place, { recursive: true, force: true });
  }
}
process.stdout.write(`${results.join('\n')}\n`);
const failed = results.filter((result) => result.startsWith('failed')).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
