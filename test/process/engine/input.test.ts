import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useLocalHost } from '../../helpers/local.ts';

const { start, state } = useLocalHost();

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
