import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type BashOptions, createBash } from '../../../src/index.ts';
import { ConsoleApp } from '../../../src/surfaces/console/app.ts';
import { chooseTheme } from '../../../src/surfaces/console/screen/styled-row.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';
import { VirtualDevice } from '../../helpers/virtual-device.ts';

function open(options: BashOptions = {}, size: [number, number] = [80, 24]) {
  const root = temporaryDirectory();
  const shared: BashOptions = { cwd: root, stateDirectory: join(root, 'state'), ...options };
  const bash = createBash({ ...shared, session: 'tool' });
  const person = createBash({ ...shared, session: 'person', policy: { enabled: false } });
  const device = new VirtualDevice(...size);
  const app = new ConsoleApp({
    ...{ version: '0', bash, person, device, artifacts: bash.artifacts, historyFile: null },
    theme: chooseTheme({ NO_COLOR: '1' }),
    adaptTheme: false,
    environment: { host: hostOf(options), home: root, searchPath: '/usr/bin:/bin' },
    cwd: () => root,
    liveJobs: () => bash.jobs.list().filter(({ state }) => state === 'running').length,
  });
  const left = app.run();
  onTestFinished(async () => {
    app.quit();
    await left;
    device.close();
    await Promise.all([bash.close(), person.close()]);
  });
  return { app, bash, device, left, root };
}

const hostOf = ({ host }: BashOptions): string | null => (typeof host === 'string' ? host : null);

test('where commands run is in the status line', async () => {
  const { device } = open({ host: 'ssh:build1' });
  await device.shows(/ {3}ssh:build1 {3}~.*\/help/);
  const { device: plain } = open();
  await plain.shows(/^ {3}~.*\/help/m);
});

test('a line runs as a call and is shown with its exit code, time and limit', async () => {
  const { device } = open();
  device.press('echo hello; exit 3\r');
  const text = await device.shows('limit 300 s');
  expect(text).toMatch(/✗ echo hello; exit 3\n {3}hello\n {3}exit 3 · [\d.]+ m?s · limit 300 s/);
});

test('! runs as the person, !! stays out of the transcript that is saved', async () => {
  const { device, root } = open();
  device.press('echo one\r');
  await device.shows('exit 0');
  device.press('!echo two\r');
  await device.shows(/two\n {3}exit 0/);
  device.press('!!echo three\r');
  await device.shows('not in the transcript');
  device.press('/save out.txt\r');
  await device.shows('Written to');
  expect(readFileSync(join(root, 'out.txt'), 'utf8')).toBe('$ echo one\none\n[0]\n\n! echo two\ntwo\n[0]\n');
});

test('esc stops what runs, and it is told apart from a failure', async () => {
  const { device, root } = open();
  device.press('echo begun; sleep 1000; echo never > never\r');
  await device.shows('begun\n');
  device.press('\x1b');
  await device.shows('cancelled');
  expect(existsSync(join(root, 'never'))).toBe(false);
});

test('a long output is folded, expands, and can be opened whole and searched', async () => {
  const { device } = open();
  device.press('seq 1 20000\r');
  const folded = await device.shows('not shown: artifact://');
  expect(folded.match(/^ {3}\d+$/gm)).toHaveLength(10);
  device.press('\x0f');
  await device.shows(/^ {3}19985$/m);
  device.press('\x07');
  await device.shows('    1  1');
  device.press('/12345\r');
  await device.shows(/12345 {2}12345/);
  device.press('G');
  await device.shows('20000  20000');
  device.press('q');
  await device.shows('❯');
});

test('a program on a terminal has the screen, gets keys, and leaves its text behind', async () => {
  const { device } = open();
  device.press('/pty read -rp "name? " n; echo "hi $n"; stty size; read -rn1\r');
  await device.shows(/^name\? *$/m);
  device.press('Ada\r');
  await device.shows('22 80');
  device.resize(100, 30);
  device.press('x');
  await device.shows(/✓ read -rp[\s\S]*name\? Ada\n {3}hi Ada\n {3}22 80/);
});

test('esc ends a program on a terminal; one that has the whole screen gets it', async () => {
  const { device } = open();
  device.press('/pty cat\r');
  await device.shows('esc or ctrl-] stops it');
  device.press('\x1b');
  await device.shows('cancelled');
  device.press(
    String.raw`/pty printf '\e[?1049hfull'; IFS= read -rsn1 k; printf '\e[?1049l'; printf 'key %q' "$k"` +
      '\r',
  );
  await device.shows(/full[\s\S]*\n {3}ctrl-] stops it/);
  device.press('\x1b');
  await device.shows("key $'\\E'");
});

test('escape and a letter that come at once reach a program as they are, whatever it asked of other keys', async () => {
  const { device } = open();
  const command = String.raw`/pty stty raw -echo; printf '\e[>4;2m'; printf $((40 + 2))ready; dd bs=1 count=3 2>/dev/null | od -An -c | tr -d ' '; stty sane`;
  device.press(`${command}\r`);
  await device.shows('42ready');
  device.press('\x1b:x');
  await device.shows('033:x');
});

test('a question is answered with a key once it has the focus, and no is no', async () => {
  const { device, root } = open({ policy: { approvals: { otherwise: 'ask' } } });
  device.press('touch made\r');
  await device.shows(/May this run\?[\s\S]*ctrl-y answer/);
  device.press('\x19');
  await device.shows('y this time   n no   esc back');
  device.press('y');
  await device.shows('exit 0');
  expect(existsSync(join(root, 'made'))).toBe(true);
  device.press('touch refused\r');
  await device.shows('May this run?');
  device.press('\x19n');
  await device.shows('✗ touch refused');
  expect(existsSync(join(root, 'refused'))).toBe(false);
});

test('what is typed at the prompt answers no question', async () => {
  const { device, root, bash } = open({ policy: { approvals: { otherwise: 'ask' } } });
  device.press('touch made\r');
  await device.shows('May this run?');
  for (const key of 'yarn apt') device.press(key);
  await device.shows('❯ yarn apt');
  expect(bash.approvals.list()).toHaveLength(1);
  expect(bash.approvals.rules()).toEqual([]);
  expect(existsSync(join(root, 'made'))).toBe(false);
  device.press('\x19');
  await device.shows('esc back');
  device.press('\x1b');
  await device.shows('ctrl-y answer');
  device.press('y');
  await device.shows('❯ yarn apty');
  expect(bash.approvals.list()).toHaveLength(1);
  device.press('\x19n');
  await device.shows('✗ touch made');
});

test('a lasting answer shows exactly what it stores, and enter confirms it', async () => {
  const { device, bash } = open({ policy: { approvals: { otherwise: 'ask' } } });
  device.press('touch "made too"\r');
  await device.shows('May this run?');
  device.press('\x19');
  device.press('e');
  await device.shows(
    /From now on, everywhere, exactly this may run:\n ┃ {3}touch 'made too'\n ┃ enter store it/,
  );
  device.press('y');
  await device.shows('a always in this session');
  expect(bash.approvals.rules()).toEqual([]);
  device.press('a');
  await device.shows('From now on, in this session, exactly this may run:');
  device.press('\r');
  await device.shows('exit 0');
  expect(bash.approvals.rules()).toMatchObject([{ text: "touch 'made too'", scope: 'session' }]);
});

test('jobs are in the status line, in their panel, and can be ended there', async () => {
  const { device } = open();
  device.press('{"command": "echo up; sleep 1000", "async": true}\r');
  await device.shows('continues as a job');
  await device.shows('1 job');
  device.press('\x02');
  await device.shows(/echo up; sleep 1000\s+● running[\s\S]*up/);
  device.press('s');
  await device.shows('Stop echo up; sleep 1000?');
  device.press('y');
  await device.shows(/Jobs {3}1 failed {3}Stopped\./);
  device.press('q');
  await device.shows('❯');
});

test('a job that cannot be stopped leaves the error on the screen', async () => {
  const { bash, device } = open();
  const { run } = await bash.call({ command: 'true', async: true });
  await bash.jobs.wait([run.job?.id ?? '']);
  device.press('\x02');
  await device.shows('✓ completed');
  device.press('s');
  await device.shows('Stop true?');
  await bash.jobs.prune();
  await device.shows('No jobs.');
  device.press('y');
  await device.shows(new RegExp(`Jobs {3}.*${run.job?.id}`));
});

test('a call that is written as JSON is shown before it is whole', async () => {
  const { device } = open();
  device.press('{"env": {"A": "1"}, "command": "npm te');
  await device.shows('A=1 npm te');
  device.press('\x15{"command": 3}\r');
  await device.shows('command');
});

test('a million lines, a resize in the middle, wide and broken text do no harm', async () => {
  const { device } = open({}, [60, 20]);
  device.press('seq 1 1000000\r');
  for (let columns = 30; columns < 90; columns += 7) device.resize(columns, 20);
  await device.shows('1000000\n');
  device.press(`${String.raw`printf '漢字漢字\n\e[999;999H\e[31\xff\n'; printf '%0200d' 7`}\r`);
  const text = await device.shows('7\n');
  expect(text).toContain('漢字漢字');
});

test('ctrl-d leaves; what was running ends', async () => {
  const { device, left } = open();
  device.press('sleep 1000\r');
  await device.shows('running');
  device.press('\x04');
  await left;
});
