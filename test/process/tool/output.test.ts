import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { createBash } from '../../../src/tool/call/bash.ts';
import type { BashOptions } from '../../../src/tool/options/bash-options.ts';
import { textOf } from '../../helpers/fake-bash.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

function open(options: BashOptions = {}): Bash {
  const root = realpathSync(temporaryDirectory());
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'state'), ...options });
  onTestFinished(() => bash.close());
  return bash;
}

test('agent: what does not fit is cut once, with exact numbers and the one artifact', async () => {
  const result = await open().call({ command: 'seq 200000; echo "error: it broke" >&2; seq 200000' });
  const { run, details } = result;
  expect(Buffer.byteLength(textOf(result))).toBeLessThanOrEqual(50 * 1024 + 200);
  expect(textOf(result)).toContain('200001: error: it broke');
  expect(run.output).toMatchObject({ totalLines: 400_001, omitted: { lines: expect.any(Number) } });
  expect(details).toMatchObject({
    meta: {
      truncation: { direction: 'middle', truncatedBy: 'bytes', totalLines: 400_001, artifactId: run.runId },
    },
  });
  expect(textOf(result).match(/artifact:\/\//g)).toHaveLength(1);
  expect(run.artifact).toBe(`artifact://${run.runId}`);
});

test.each([1024, 10_000, 192 * 1024])('agent: output.maxBytes %i limits what is shown', async (maxBytes) => {
  const bash = open({ output: { maxBytes } });
  expect(bash.tool.description).toContain(`Up to ${Number((maxBytes / 1024).toFixed(1))} KiB of output`);
  const text = textOf(
    await bash.call({ command: 'seq 60000; echo "error: it broke" >&2; seq 60000; exit 3' }),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes + 300);
  expect(Buffer.byteLength(text)).toBeGreaterThan(maxBytes / 2);
  expect(text).toContain('60001: error: it broke');
  expect(text).toMatch(/Command exited with code 3$/);
});

test('agent: output.maxBytes limits what is shown when no output is stored', async () => {
  const bash = open({ output: { maxBytes: 192 * 1024 }, storage: { maxRunBytes: 0 } });
  const text = textOf(await bash.call({ command: 'seq 200000' }));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(192 * 1024 + 300);
  expect(text.startsWith('1\n2\n')).toBe(true);
  expect(text.includes('\n199999\n200000\n')).toBe(true);
});

test('agent: head and tail limit what is shown, head first, and the status stays', async () => {
  const result = await open().call({ command: 'seq 100; exit 3', head: 5, tail: 2 });
  expect(textOf(result)).toMatch(/^4\n5\n/);
  expect(textOf(result)).toMatch(/Command exited with code 3$/);
  expect(result.run.output).toMatchObject({ totalLines: 100, shown: [{ from: 4, to: 5 }] });
});

test('agent: a lifted limit leaves the status to the command itself', async () => {
  const bash = open({ liftLimits: true });
  const result = await bash.call({ command: '(seq 100; exit 3) | tail -n 2' });
  expect(textOf(result)).toMatch(/^99\n100\n/);
  expect(result.run).toMatchObject({ exitCode: 3, output: { totalLines: 100 } });
});

test('modes: beyond 128 KiB the first and the last 4 KiB', async () => {
  const bash = open({ profile: 'modes' });
  const text = textOf(await bash.call({ command: "head -c 204800 /dev/zero | tr '\\0' x; exit 1" }));
  const end = 'x'.repeat(4096);
  expect(text).toBe(
    `[command failed: exit code 1]\n[output truncated in middle: got 200.0KB, max is 128.0KB]\n${end}\n\n[snip]\n\n${end}`,
  );
  const whole = await bash.call({ command: "head -c 131072 /dev/zero | tr '\\0' x" });
  expect(textOf(whole)).toBe('x'.repeat(131_072));
});

test('simple: a MiB of each stream, then the suffix', async () => {
  const bash = open({ profile: 'simple' });
  const { details, run } = await bash.call({
    command: "head -c 2000000 /dev/zero | tr '\\0' x; printf '\\033[31mred\\033[0m\\r\\n' >&2",
  });
  const { stdout, stderr } = details as { stdout: string; stderr: string };
  expect(stdout).toBe(`${'x'.repeat(1024 ** 2)}... (truncated)`);
  expect(stderr).toBe('\u001b[31mred\u001b[0m\r\n');
  expect(run.output.text).toBe(stdout + stderr);
  expect(run.output.totalBytes).toBe(2_000_000 + 14);
});

test('secrets are masked in what is shown, and in updates', async () => {
  const value = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const bash = open({
    inheritedEnv: { PATH: process.env.PATH, MY_TOKEN: value },
    secrets: { grants: ['MY_TOKEN'] },
  });
  const updates: string[] = [];
  const result = await bash.call(
    { command: 'echo "token $MY_TOKEN"' },
    { onUpdate: (update) => void updates.push(textOf(update)) },
  );
  expect(textOf(result)).toBe('token [redacted]\n');
  expect(updates.at(-1)).toBe('token [redacted]\n');
  expect(JSON.stringify(result)).not.toContain(value);
});

test('with keeping switched off the output is shown, and nothing is pointed at', async () => {
  const bash = open({ storage: { maxRunBytes: 0 } });
  const { run, content } = await bash.call({ command: 'seq 100000' });
  expect(run.artifact).toBeNull();
  expect(textOf({ content })).not.toContain('artifact://');
  expect(textOf({ content })).toContain('The full output was not kept.');
});

test('beyond what may be kept the run goes on, or is ended, as it is set', async () => {
  const command = "head -c 3000000 /dev/zero | tr '\\0' '\\n'; echo done";
  const going = await open({ storage: { maxRunBytes: 100_000 } }).call({ command });
  expect(going.run).toMatchObject({ status: 'exited', exitCode: 0 });
  expect(going.run.notes.join()).toContain('of the output were not kept');
  const ended = await open({ storage: { maxRunBytes: 100_000, onFull: 'stop' } }).call({ command: 'yes' });
  expect(ended.isError).toBe(true);
  expect(textOf(ended)).toMatch(
    /Command stopped: its output reached the storage limit \(storage\.maxRunBytes\)$/,
  );
});
