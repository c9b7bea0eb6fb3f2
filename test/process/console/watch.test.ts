import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Bash, type BashOptions, createBash } from '../../../src/index.ts';
import { chooseTheme } from '../../../src/surfaces/console/screen/styled-row.ts';
import { WatchApp } from '../../../src/surfaces/console/watch.ts';
import { nacreEnv, startNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';
import { VirtualDevice } from '../../helpers/virtual-device.ts';

function open(size: [number, number] = [80, 24]) {
  const root = temporaryDirectory();
  const stateDirectory = join(root, 'state/nacre');
  const device = new VirtualDevice(...size);
  const theme = chooseTheme({ NO_COLOR: '1' });
  const watch = new WatchApp({ device, theme, adaptTheme: false, stateDirectory, session: null });
  const left = watch.run();
  const agents: Bash[] = [];
  onTestFinished(async () => {
    device.press('q');
    device.press('q');
    await left;
    device.close();
    await Promise.all(agents.map((bash) => bash.close()));
  });
  const agent = (session: string, options: BashOptions = {}): Bash => {
    const bash = createBash({ cwd: root, stateDirectory, session, ...options });
    agents.push(bash);
    return bash;
  };
  return { root, device, agent };
}

test('before anything has run, it says so', async () => {
  const { device } = open();
  expect(await device.shows('Nothing yet')).toContain('0 sessions');
});

test('several agents at once: who, what, what it prints, how it ends', async () => {
  const { device, agent, root } = open([120, 40]);
  const stop = new AbortController();
  const long = agent('claude').call({ command: 'echo working; sleep 1000' }, { signal: stop.signal });
  await device.shows(/claude {2}.*\n.*echo working; sleep 1000\n {3}working\n {3}running/);
  await agent('codex').call({ command: 'echo done; exit 3' });
  const text = await device.shows(/codex {2}.*\n ✗ echo done; exit 3\n {3}done\n {3}exit 3/);
  expect(text).toContain('1 running   2 sessions');
  expect(text).toContain(root);
  stop.abort();
  await expect(long).rejects.toThrow();
  await device.shows(/echo working; sleep 1000\n {3}working\n {3}cancelled/);
  device.press('\x1b[A\r');
  await device.shows(/artifact:[\s\S]* 1 {2}done/);
});

test('what an agent may not do without a word is asked here, with who asks, and answered', async () => {
  const { device, agent } = open();
  const rules = [{ prefix: ['echo'], action: 'ask' as const }];
  const bash = agent('codex', { policy: { approvals: { rules } } });
  const asked = bash.call({ command: 'echo allowed' });
  await device.shows(/May this run\? {2}codex[\s\S]*echo allowed[\s\S]*ctrl-y answer/);
  device.press('y');
  device.press('a');
  device.press('\x19');
  await device.shows('y this time   n no');
  device.press('y');
  expect((await asked).run).toMatchObject({ status: 'exited', exitCode: 0 });
  const refused = bash.call({ command: 'echo refused' });
  await device.shows('May this run?');
  device.press('\x19n');
  expect((await refused).error?.id).toBe('blocked_by_policy');
  await device.shows(/✗ echo refused/);
});

test('an agent that is killed leaves a command that is followed to its end', async () => {
  const { device, root } = open();
  const env = nacreEnv(root);
  const agent = startNacre(['rpc', '--session', 'gone'], { env, cwd: root, keepOpen: true });
  const command = 'echo begun; until [ -e go ]; do sleep 0.05; done; echo finished; exit 4';
  agent.child.stdin?.write(`${JSON.stringify({ id: '1', type: 'bash', command })}\n`);
  await device.shows(/ {3}begun\n {3}running/);
  agent.child.kill('SIGKILL');
  await agent.finished;
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'other') });
  await bash.call({ command: 'touch go' });
  await bash.close();
  await device.shows(/ {3}begun\n {3}finished\n {3}exit 4/);
});
