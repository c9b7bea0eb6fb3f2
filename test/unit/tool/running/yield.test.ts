import { describe, expect, test } from 'vitest';
import type { BashOptions } from '../../../../src/tool/options/bash-options.ts';
import { setUpFake, textOf } from '../../../helpers/fake-bash.ts';
import type { FakeRun } from '../../../helpers/fake-host.ts';

const quick: BashOptions = { async: { autoBackground: { afterMs: 1 } } };
const never = () => undefined;

describe('a call that outlives its wait', () => {
  test('returns what there is, and the run goes on as a job', async () => {
    const { bash, host } = setUpFake({ ...quick, behave: (run) => run.print('so far\nand no newl') });
    const result = await bash.call({ command: 'npm test' });
    expect(textOf(result)).toMatch(/^so far\nand no newl\n\nBackground job fake0 started: npm test\n/);
    expect(result).toMatchObject({
      isError: false,
      details: { timeoutSeconds: 86_400, async: { state: 'running', jobId: 'fake0', type: 'bash' } },
      run: {
        runId: 'fake0',
        status: 'running',
        exitCode: null,
        artifact: 'artifact://fake0',
        output: { text: 'so far\nand no newl', totalLines: 2 },
        job: { id: 'fake0', pid: 4242, pgid: 4242, state: 'running' },
      },
    });
    expect(host.runs[0]?.heard).toEqual(['release']);
  });

  test('shows the end of it, and says what is left out', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `${at + 1}\n`).join('');
    const { bash } = setUpFake({ ...quick, behave: (run) => run.print(lines) });
    const { run } = await bash.call({ command: 'x' });
    expect(run.output).toMatchObject({ totalLines: 300, shown: [{ from: 201, to: 300 }] });
    const asked = await bash.call({ command: 'x', tail: 2 });
    expect(asked.run.output.shown).toEqual([{ from: 299, to: 300 }]);
  });

  test('says its own wait in seconds, and 0 means at once', async () => {
    const { bash, host } = setUpFake({ behave: never });
    expect((await bash.call({ command: 'x', wait: 0 })).run.status).toBe('running');
    expect((await bash.call({ command: 'x', wait: 0.001 })).run.status).toBe('running');
    expect(host.runs.map(({ heard }) => heard)).toEqual([['release'], ['release']]);
  });

  test('the timeout notice comes before the line of the start', async () => {
    const { bash } = setUpFake({ behave: (run) => run.print('hi\n') });
    const text = textOf(await bash.call({ command: 'x', wait: 0, timeout: 9_999 }));
    expect(text).toMatch(/^(?:hi\n\n)?Timeout clamped to 3600s .*\nBackground job fake0 started: x\n/);
  });

  test('a limit of its own stays the limit of the job', async () => {
    const { bash, host } = setUpFake({ ...quick, behave: never });
    expect((await bash.call({ command: 'x', timeout: 700 })).details.timeoutSeconds).toBe(700);
    expect((await bash.call({ command: 'x', timeout: 0 })).details).toMatchObject({ timeoutDisabled: true });
    expect(host.runs[0]?.request).toMatchObject({ timeoutMs: 700_000, jobTimeoutMs: 700_000 });
  });
});

describe('a wait goes on to the end of the command', () => {
  /** Long after the wait would have ended. */
  const endLater = (run: FakeRun): void => void setTimeout(() => run.end(), 30);

  test('when its limit is not longer than the wait', async () => {
    const { bash, host } = setUpFake({
      timeoutMs: 5,
      async: { autoBackground: { afterMs: 5 } },
      behave: endLater,
    });
    expect((await bash.call({ command: 'x' })).run.status).toBe('exited');
    expect((await bash.call({ command: 'x', timeout: 1, wait: 1 })).run.status).toBe('exited');
    expect(host.runs.map(({ heard }) => heard)).toEqual([[], []]);
  });

  test.each([
    ['jobs are off', { async: { enabled: false, autoBackground: { afterMs: 1 } } }],
    ['going on is off', { async: { autoBackground: { enabled: false, afterMs: 1 } } }],
    ['the profile is modes', { profile: 'modes', ...quick }],
    ['the profile is simple', { profile: 'simple', ...quick }],
  ] satisfies [string, BashOptions][])('when %s', async (_, options) => {
    const { bash, host } = setUpFake({ ...options, behave: endLater });
    expect((await bash.call({ command: 'x' })).run.status).toBe('exited');
    expect(host.runs[0]?.heard).toEqual([]);
  });

  test('when there is no room for one more job, which is said', async () => {
    const { bash, host } = setUpFake({
      async: { maxJobs: 0, autoBackground: { afterMs: 1 } },
      behave: endLater,
    });
    const { run } = await bash.call({ command: 'x' });
    expect(run.status).toBe('exited');
    expect(run.notes).toEqual([
      'The call stayed in the foreground: 0 jobs are running, and async.maxJobs allows no more.',
    ]);
    expect(host.runs[0]?.heard).toEqual([]);
  });

  test('when it is being ended', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({
      ...quick,
      starting: () => controller.abort(),
      behave: never,
    });
    await expect(bash.call({ command: 'x' }, { signal: controller.signal })).rejects.toThrow('aborted');
    expect(host.runs[0]?.heard).toEqual(['stop abort']);
  });
});

describe('a caller can end the wait', () => {
  test('of one call', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({ behave: () => controller.abort() });
    const { run } = await bash.call({ command: 'x' }, { yieldSignal: controller.signal });
    expect(run.status).toBe('running');
    expect(host.runs[0]?.heard).toEqual(['release']);
  });

  test('of all calls', async () => {
    const { bash, host } = setUpFake({ behave: never });
    const calls = ['a', 'b'].map((command) => bash.call({ command }));
    await expect.poll(() => host.runs.length).toBe(2);
    bash.yield();
    expect((await Promise.all(calls)).map(({ run }) => run.status)).toEqual(['running', 'running']);
  });

  test('before the command began', async () => {
    const { bash } = setUpFake({ behave: never });
    const { run } = await bash.call({ command: 'x' }, { yieldSignal: AbortSignal.abort() });
    expect(run.status).toBe('running');
  });

  test('in modes, where the result has its own form, and not in simple, which has no jobs', async () => {
    const controller = new AbortController();
    const modes = setUpFake({
      profile: 'modes',
      behave: (run) => {
        run.print('so far\n');
        controller.abort();
      },
    });
    const result = await modes.bash.call({ command: 'x' }, { yieldSignal: controller.signal });
    expect(textOf(result)).toMatch(/^so far\n\n<pid>4242<\/pid>\n<output_file>.*\n<reminder>/);
    const simple = setUpFake({ profile: 'simple' });
    const { run } = await simple.bash.call({ command: 'x' }, { yieldSignal: AbortSignal.abort() });
    expect(run.status).toBe('exited');
  });

  test('and an abort that comes later does nothing', async () => {
    const controller = new AbortController();
    const { bash, host } = setUpFake({ behave: never });
    await bash.call({ command: 'x', wait: 0 }, { signal: controller.signal });
    controller.abort();
    expect(host.runs[0]?.heard).toEqual(['release']);
  });
});

test.each([
  [{ wait: -1 }, 'wait: expected a number from 0 to 3600, got the number -1'],
  [{ wait: 3_601 }, 'wait: expected a number from 0 to 3600, got the number 3601'],
  [{ wait: '5' }, 'wait: expected a number from 0 to 3600, got the text "5"'],
  [{ wait: 5, async: true }, 'wait: cannot be combined with async: true, which does not wait'],
  [{ stdin: { open: false } }, 'stdin.open: expected true, got false'],
  [{ stdin: {} }, 'stdin.open: is required: true'],
  [{ stdin: 5 }, 'stdin: expected text or an object with open, got the number 5'],
  [
    { service: { name: 'web', redy: {} } },
    "service.redy: is not a field of service. Did you mean 'ready'? It takes name, ready, restart.",
  ],
  [{ service: { name: 'a b' } }, expect.stringMatching(/^service\.name: must be a letter/)],
  [{ service: { name: 'web', ready: { log: null } } }, 'service.ready: is empty; it takes log, port or both'],
  [
    { service: { name: 'web', ready: { port: 0 } } },
    'service.ready.port: expected a whole number from 1 to 65535, got the number 0',
  ],
  [{ service: { name: 'web' }, wait: 5 }, 'wait: needs service.ready: without it, a service returns at once'],
])('%j is refused', async (fields, message) => {
  const { bash, host } = setUpFake();
  expect((await bash.call({ command: 'x', ...fields })).error).toEqual({ id: 'bad_input', message });
  expect(host.runs).toEqual([]);
});

test('with jobs off there is neither wait nor service nor an open input', async () => {
  const { bash } = setUpFake({ async: { enabled: false } });
  const { properties } = bash.tool.inputSchema;
  expect(Object.keys(properties)).not.toContain('wait');
  expect(Object.keys(properties)).not.toContain('service');
  expect(properties.stdin).toMatchObject({ type: 'string' });
  expect(bash.tool.description).not.toMatch(/job|wait/);
});

test('an input that stays open reaches the host as such', async () => {
  const { bash, host } = setUpFake();
  await bash.call({ command: 'x', stdin: { open: true } });
  await bash.call({ command: 'x', stdin: 'text' });
  expect(host.runs.map(({ request }) => request.input)).toEqual([
    { kind: 'open' },
    { kind: 'text', text: 'text' },
  ]);
});
