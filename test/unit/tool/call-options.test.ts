import { describe, expect, test } from 'vitest';
import type { CallUpdate } from '../../../src/tool/contract/call-options.ts';
import { ToolAbortError } from '../../../src/tool/contract/result.ts';
import { setUpFake, textOf } from '../../helpers/fake-bash.ts';

async function abortOf(call: Promise<unknown>): Promise<ToolAbortError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolAbortError);
  return error as ToolAbortError;
}

describe('an abort', () => {
  test('ends the run and rejects with what there was', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({
      behave: (run) => {
        run.print('partial\n');
        controller.abort();
      },
    });
    const error = await abortOf(bash.call({ command: 'sleep 1000' }, { signal: controller.signal }));
    expect(error).toMatchObject({
      name: 'ToolAbortError',
      code: 'aborted',
      result: { isError: true, run: { runId: 'fake0', status: 'aborted', aborted: true, exitCode: null } },
    });
    expect(textOf(error.result)).toBe('partial\n\nCommand aborted');
    expect(host.runs[0]?.heard).toEqual(['stop abort']);
  });

  test('before the start means that nothing starts', async () => {
    const { bash, host } = setUpFake();
    const error = await abortOf(bash.call({ command: 'ls' }, { signal: AbortSignal.abort() }));
    expect(error.result.run).toMatchObject({ runId: null, status: 'aborted' });
    expect(host.runs).toEqual([]);
  });

  test('while a hook is asked means that nothing starts, either', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({
      hooks: {
        before: () => {
          controller.abort();
          return undefined;
        },
      },
    });
    await abortOf(bash.call({ command: 'ls' }, { signal: controller.signal }));
    expect(host.runs).toEqual([]);
  });

  test('while the command is being started ends it as soon as it is there', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({ starting: () => controller.abort(), behave: () => undefined });
    await abortOf(bash.call({ command: 'sleep 1000' }, { signal: controller.signal }));
    expect(host.runs[0]?.heard).toEqual(['stop abort']);
  });

  test('that comes too late changes nothing', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake();
    await bash.call({ command: 'ls' }, { signal: controller.signal });
    controller.abort();
    expect(host.runs[0]?.heard).toEqual([]);
  });

  test('leaves other calls alone', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({ behave: () => undefined });
    const aborted = abortOf(bash.call({ command: 'a' }, { signal: controller.signal }));
    await expect.poll(() => host.runs.length).toBe(1);
    const other = bash.call({ command: 'b' });
    await expect.poll(() => host.runs.length).toBe(2);
    controller.abort();
    await aborted;
    expect(host.runs[1]?.heard).toEqual([]);
    host.runs[1]?.end();
    expect((await other).isError).toBe(false);
  });

  test('at once skips the grace', async () => {
    const kill = new AbortController();
    const { bash, host } = setUpFake({ behave: () => kill.abort() });
    await abortOf(bash.call({ command: 'sleep 1000' }, { killSignal: kill.signal }));
    expect(host.runs[0]?.heard).toEqual(['stop abort 0']);
  });

  test('is told from a time limit', async () => {
    const { bash } = setUpFake({
      behave: (run) => run.end({ ending: { kind: 'stopped', reason: 'timeout', forced: true } }),
    });
    const { run, isError, details } = await bash.call({ command: 'sleep 1000', timeout: 1 });
    expect({ run, isError, details }).toMatchObject({
      run: { status: 'timed_out', timedOut: true, aborted: false, exitCode: null },
      isError: true,
      details: { timedOut: true },
    });
  });
});

describe('callbacks', () => {
  test('updates carry the end of the output, and the last one is always sent', async () => {
    const updates: CallUpdate[] = [];
    const { bash } = setUpFake({
      behave: (run) => {
        for (let line = 1; line <= 100; line += 1) run.print(`${line}\n`);
        run.end();
      },
    });
    await bash.call({ command: 'seq 100' }, { onUpdate: (update) => void updates.push(update) });
    expect(updates).toHaveLength(1);
    expect(updates[0]).toMatchObject({ runId: 'fake0', details: {} });
    expect(textOf(updates[0] as CallUpdate).trimEnd()).toMatch(/99\n100$/);
  });

  test('raw bytes come by stream, and a promise goes back to who reads', async () => {
    const seen: string[] = [];
    const { bash, host } = setUpFake({
      behave: (run) => {
        run.print('o');
        run.print('e', 'err');
        run.end();
      },
    });
    const onBytes = async (stream: string, chunk: Buffer) => void seen.push(`${stream} ${chunk}`);
    await bash.call({ command: 'x' }, { onBytes, streams: 'apart' });
    expect(seen).toEqual(['out o', 'err e']);
    expect(host.runs[0]?.request.streams).toBe('apart');
    expect(host.runs[0]?.request.onBytes?.('out', Buffer.from('x'))).toBeInstanceOf(Promise);
  });

  test('what one gives back that is no promise does not matter', async () => {
    const seen: string[] = [];
    const { bash } = setUpFake({
      behave: (run) => {
        run.print('a');
        run.print('b');
        run.end();
      },
    });
    const onBytes = ((_: string, chunk: Buffer) => seen.push(`${chunk}`)) as unknown as () => void;
    const { run } = await bash.call({ command: 'x' }, { onBytes });
    expect([seen, run.notes]).toEqual([['a', 'b'], []]);
  });

  test('one that throws is not called again, and the result says so', async () => {
    let calls = 0;
    const { bash } = setUpFake({
      behave: (run) => {
        run.print('a');
        run.print('b');
        run.end();
      },
    });
    const onBytes = () => {
      calls += 1;
      throw new Error('a bug');
    };
    const { run, content } = await bash.call({ command: 'x' }, { onBytes });
    expect(calls).toBe(1);
    expect(run.notes).toEqual(['onBytes failed and was not called again: a bug']);
    expect(textOf({ content })).toContain('ab');
  });

  test('a descriptor is passed on, unless the input brings text', async () => {
    const { bash, host } = setUpFake();
    await bash.call({ command: 'cat' }, { stdin: { fd: 0 } });
    await bash.call({ command: 'cat', stdin: 'text' }, { stdin: { fd: 0 } });
    await bash.call({ command: 'cat' });
    expect(host.runs.map(({ request }) => request.input)).toEqual([
      { kind: 'descriptor', fd: 0 },
      { kind: 'text', text: 'text' },
      { kind: 'empty' },
    ]);
  });
});
