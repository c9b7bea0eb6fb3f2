/**
 * The console in a real terminal, driven by tmux: keys in, screen out. `npm run test:terminals`
 *
 * Real programs, two sizes, resizes all the while. What of tmux, vim, less and htop is not there is installed where that is
 * possible (Debian, as root), else named, and the checks that need it are left out by name.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
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
  'htop draws, and its keys reach it': async () => {
    await line('/pty htop', 'Load average');
    for (const size of ['90x30', '70x20', '80x24']) resize(size);
    keys('F10');
    await shows('✓ htop');
  },
  'a program that tells keys apart gets them so': async () => {
    await line(
      String.raw`/pty stty raw -echo; printf '\e[>1u'; printf $((40 + 2))ready; dd bs=1 count=15 2>/dev/null | od -An -c | tr -d ' \n'; stty sane`,
      '42ready',
    );
    keys('C-c', 'M-b', 'x');
    await shows('033[99;5u033[98;3ux');
  },
  'a pasted page is one line that waits': async () => {
    tmux('set-buffer', 'echo first\necho second');
    tmux('paste-buffer', '-p', '-t', 'n');
    await shows(/❯ echo first\n\s+echo second/);
    keys('Enter');
    await shows(/first\n\s+second\n\s+exit 0/);
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
    const text = await shows(/got 7\n\s+exit 0/);
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

const NEEDS = {
  'vim writes a file': 'vim',
  'less scrolls': 'less',
  'htop draws': 'htop',
  'python asks': 'python3',
};
const isThere = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const missing = ['tmux', 'vim', 'less', 'htop'].filter((program) => !isThere(program));
if (missing.length > 0 && process.getuid?.() === 0 && isThere('apt-get'))
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
if (!isThere('tmux')) {
  process.stdout.write('skipped: there is no tmux\n0 passed, 0 failed\n');
  process.exit(process.env.NACRE_TEST_NO_SKIP === '1' ? 1 : 0);
}
const lacks = (name) =>
  Object.entries(NEEDS).find(([start, program]) => name.startsWith(start) && !isThere(program));

const isUp = () => spawnSync('tmux', ['-L', SOCKET, 'has-session', '-t', 'n']).status === 0;

const results = [];
for (const size of ['80x24', '200x60']) {
  const place = mkdtempSync(join(tmpdir(), 'nacre-terminals-'));
  const program = `cd ${place} && XDG_STATE_HOME=${place}/state ${process.execPath} ${ROOT}/bin/nacre.cjs`;
  try {
    tmux('new-session', '-d', '-s', 'n', '-x', size.split('x')[0], '-y', size.split('x')[1], program);
    await shows('/help');
    for (const [name, check] of Object.entries(CHECKS)) {
      const lacking = lacks(name);
      if (lacking !== undefined) {
        results.push(`skipped ${size}  ${name}: there is no ${lacking[1]}`);
        continue;
      }
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
    // It closes what it opened, and then it is gone, and tmux with it.
    for (let look = 0; look < 200 && isUp(); look++) await pause(50);
  } finally {
    try {
      tmux('kill-server');
    } catch {
      // It went with its last session.
    }
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
process.stdout.write(`${results.join('\n')}\n`);
const count = (word) => results.filter((result) => result.startsWith(word)).length;
const isStrict = process.env.NACRE_TEST_NO_SKIP === '1';
process.stdout.write(`${count('ok')} passed, ${count('failed')} failed\n`);
process.exitCode = count('failed') > 0 || (isStrict && count('skipped') > 0) ? 1 : 0;
