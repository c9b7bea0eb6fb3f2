import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endInputOfRun, sendInputToRun } from '../../../src/engine/run/run-input.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { eventually } from '../../helpers/eventually.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, startReady, state } = useLocalHost();

test('without input a command that reads gets the end at once, and there is no terminal', async () => {
  const { run, output } = await start('cat; tty; [ -t 0 ] || echo none; exec 3<>/dev/tty');
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 1 });
  expect(output()).toMatch(/^not a tty\nnone\nbash: line 1: \/dev\/tty: /);
});

test('text is read to its end', async () => {
  const text = 'line one\nline two\0with a NUL\n'.repeat(10_000);
  const { run, output } = await start('cat', { input: { kind: 'text', text } });
  await run.ended;
  expect(output()).toBe(text);
});

test('a descriptor of ours is passed on as it is', async () => {
  const path = join(state, 'given');
  writeFileSync(path, 'from a file\n');
  const fd = openSync(path, 'r');
  const { run, output } = await start('cat; readlink /proc/self/fd/0', { input: { kind: 'descriptor', fd } });
  await run.ended;
  closeSync(fd);
  expect(output()).toBe(`from a file\n${path}\n`);
});

test("the statuses of a last pipeline are told, and the status stays bash's own", async () => {
  const { run } = await start('(exit 3) | (exit 4) | true', { pipeStatus: true });
  expect(await run.ended).toMatchObject({ ending: { kind: 'exited', exitCode: 0 }, pipeStatus: [3, 4, 0] });
});

test.each(['trap "echo mine" EXIT; false | true', 'false | true; exec true'])(
  '`%s` takes the place, and no statuses are told',
  async (command) => {
    const { run } = await start(command, { pipeStatus: true });
    expect((await run.ended).pipeStatus).toBeNull();
  },
);

test('looking at statuses changes nothing that a script prints', async () => {
  const { run, output } = await start('set -x; echo $BASH_ENV; false | cat', { pipeStatus: true });
  expect((await run.ended).pipeStatus).toEqual([1, 0]);
  expect(output()).toMatch(/^\+ echo\n\n\+ (false|cat)\n\+ (false|cat)\n$/);
});

test("the user's BASH_ENV is read before a command whose statuses are wanted, too", async () => {
  const file = join(state, 'env');
  writeFileSync(file, 'echo sourced\n');
  const { run, output } = await start('echo $BASH_ENV | cat', { pipeStatus: true, env: { BASH_ENV: file } });
  await run.ended;
  expect(output()).toBe(`sourced\n${file}\n`);
});

test('an open input is sent to while the command runs, and its end is seen', async () => {
  const { run, output } = await startReady(
    'echo ready; while read -r line; do echo "got $line"; done; echo end',
    { input: { kind: 'open' } },
  );
  await run.send('one\ntwo\n');
  await eventually(() => expect(output()).toContain('got two'));
  await run.send('three\n');
  await run.endInput();
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
  expect(output()).toBe('ready\ngot one\ngot two\ngot three\nend\n');
});

test('more than a pipe holds is sent as it is read', async () => {
  const { run, output } = await startReady('echo ready; head -c 1000000 | wc -c', {
    input: { kind: 'open' },
  });
  await run.send(Buffer.alloc(1_000_000, 'x'));
  await run.ended;
  expect(output()).toBe('ready\n1000000\n');
});

test('an input that was never open, or is closed, says so', async () => {
  const { run } = await startReady('echo ready; sleep 1000');
  await expect(run.send('x')).rejects.toMatchObject({ code: 'input_closed' });
  await run.stop('abort');
});

test('a run of another program can be sent to, and told the end', async () => {
  const { run, output } = await startReady('echo ready; cat', { input: { kind: 'open' } });
  const stored = new RunStore(state).find(run.id);
  if (stored === null) throw new Error('not found');
  await sendInputToRun(stored, 'from outside\n');
  await endInputOfRun(stored);
  await run.ended;
  expect(output()).toBe('ready\nfrom outside\n');
});
