import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { useLocalHost } from '../../helpers/local.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const { host, request } = useLocalHost();

test('a reader that asks for time holds the command, and gets every byte', async () => {
  let received = 0;
  let calls = 0;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const onBytes = (_: string, chunk: Buffer): Promise<void> | void => {
    received += chunk.length;
    calls += 1;
    if (calls === 1) return gate;
  };
  const run = await host.start({ ...request('head -c 10000000 /dev/zero; echo end >&2'), onBytes });
  await eventually(() => expect(calls).toBe(1));
  // Two turns of the loop with a writer at full speed: if anything else were read, it would be by now.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls).toBe(1);
  open();
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
  expect(received).toBe(10_000_004);
});

test('what is left in the pipe at the end is delivered, even to a reader that had asked for time', async () => {
  let received = 0;
  const onBytes = (_: string, chunk: Buffer): Promise<void> => {
    received += chunk.length;
    return new Promise(() => undefined);
  };
  const run = await host.start({ ...request('echo first; sleep 0.1; head -c 50000 /dev/zero'), onBytes });
  await run.ended;
  expect(received).toBe(50_006);
});

test('stdout and stderr keep their order of arrival in one stream', async () => {
  const command = 'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done';
  const run = await host.start(request(command));
  await run.ended;
  const expected = [1, 2, 3, 4, 5].map((n) => `out ${n}\nerr ${n}\n`).join('');
  expect(readFileSync(join(run.directory, 'out'), 'utf8')).toBe(expected);
});

test('bytes written in the last moment are not lost', async () => {
  const sizes = await Promise.all(
    Array.from({ length: 50 }, async () => {
      let received = 0;
      const onBytes = (_: string, chunk: Buffer): void => {
        received += chunk.length;
      };
      const run = await host.start({
        ...request('head -c 60000 /dev/zero; exec head -c 60000 /dev/zero'),
        onBytes,
      });
      await run.ended;
      return received;
    }),
  );
  expect(new Set(sizes)).toEqual(new Set([120_000]));
});

test('output whose pipe cannot be opened is read when the command is over, and a note says why', async () => {
  const caller = join(import.meta.dirname, '../../helpers/starved-caller.mjs');
  const script = 'ulimit -n 64; exec "$@"';
  const args = ['-c', script, 'bash', process.execPath, caller, temporaryDirectory()];
  const { stdout } = await promisify(execFile)('/bin/bash', args, { timeout: 50_000 });
  const { ending, notes, bytes } = JSON.parse(stdout);
  expect(ending).toEqual({ kind: 'exited', exitCode: 0 });
  expect(notes).toEqual([expect.stringMatching(/^The output was not read while the command ran: EMFILE/)]);
  expect(bytes).toBe(588_895);
});
