import { describe, expect, test } from 'vitest';
import { createBash, ToolAbortError } from '../../../../../src/index.ts';
import { createFakeHost } from '../../../../helpers/fake-host.ts';
import {
  createFakeTerminals,
  type FakeTerminal,
  type FakeTerminalsOptions,
} from '../../../../helpers/fake-terminals.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

/** A tool whose foreground commands run in terminals that the test controls; the base host does nothing. */
function open(options: FakeTerminalsOptions = {}) {
  const directory = temporaryDirectory();
  const { clients, terminals } = createFakeTerminals(options);
  const host = createFakeHost({ directory });
  const bash = createBash({
    cwd: directory,
    stateDirectory: directory,
    host: { name: 'local', start: host.start, close: host.close },
    clientTerminals: clients,
    graceMs: 100,
    inheritedEnv: {
      PATH: process.env.PATH,
      HOME: directory,
      OPENAI_API_KEY: 'sk-proj-0123456789abcdefghijkl',
    },
  });
  return { bash, terminals, host, directory };
}

const says = (text: string, exit: object) => (terminal: FakeTerminal) => {
  terminal.print(text);
  terminal.exit(exit);
};

describe('a command in the client’s terminal', () => {
  test('is bash with the whole command, in its directory, with the disarmed environment and no secrets', async () => {
    const { bash, terminals, directory } = open({ onCreate: says('hi\r\n', { exitCode: 0 }) });
    const { run, isError } = await bash.call({ command: 'echo "$X"; exit', env: { X: '1 2' } });
    expect(run).toMatchObject({ status: 'exited', exitCode: 0, artifact: null, output: { text: 'hi\n' } });
    expect(isError).toBe(false);
    const { request, heard } = terminals[0] as FakeTerminal;
    expect(request.args).toEqual(['-c', 'echo "$X"; exit', 'bash']);
    expect(request).toMatchObject({
      cwd: directory,
      env: { X: '1 2', NACRE: '1', GIT_TERMINAL_PROMPT: '0', PAGER: 'cat' },
    });
    expect(request.env).not.toHaveProperty('OPENAI_API_KEY');
    expect(heard).toEqual(['release']);
  });

  test('says what it cannot have', async () => {
    const { bash } = open({ onCreate: says('', { exitCode: 0 }) });
    const { run } = await bash.call({ command: 'true' });
    expect(run.notes.join()).toMatch(
      /full output is not kept.*cannot become a job.*only the client can stop/,
    );
  });

  test('names its terminal in updates, at once, and not in the result', async () => {
    const { bash, terminals } = open();
    const updates: unknown[] = [];
    const called = bash.call(
      { command: 'x' },
      { onUpdate: ({ details }) => updates.push(details.terminalId) },
    );
    await expect.poll(() => updates, { timeout: 10_000 }).toEqual(['t0']);
    terminals[0]?.print('more');
    terminals[0]?.exit({ exitCode: 0 });
    expect((await called).details).not.toHaveProperty('terminalId');
  });

  test('a death by signal is 137, an exit is its code, no status is none', async () => {
    const end = async (exit: object) =>
      (await open({ onCreate: says('', exit) }).bash.call({ command: 'x' })).run;
    expect(await end({ exitCode: null, signal: 'SIGKILL' })).toMatchObject({
      exitCode: 137,
      signal: 'SIGKILL',
    });
    expect(await end({ signal: 'SIGSEGV' })).toMatchObject({
      status: 'signaled',
      exitCode: 137,
      signal: 'SIGSEGV',
    });
    expect(await end({ exitCode: 3, signal: null })).toMatchObject({ status: 'exited', exitCode: 3 });
    expect(await end({})).toMatchObject({ status: 'lost', exitCode: null });
  });

  test('its limit kills it; what it printed stays', async () => {
    const { bash, terminals } = open({ onCreate: (terminal) => terminal.print('partial\n') });
    const { run } = await bash.call({ command: 'sleep 1000', timeout: 1 });
    expect(run).toMatchObject({ status: 'timed_out', output: { text: 'partial\n' } });
    expect(terminals[0]?.heard).toEqual(['kill', 'release']);
  });

  test('an abort kills it; the partial result comes with the error', async () => {
    const { bash, terminals } = open({ onCreate: (terminal) => terminal.print('partial\n') });
    const controller = new AbortController();
    const called = bash.call(
      { command: 'x' },
      { signal: controller.signal, onUpdate: () => controller.abort() },
    );
    const error = await called.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolAbortError);
    expect((error as ToolAbortError).result.run).toMatchObject({
      status: 'aborted',
      output: { text: 'partial\n' },
    });
    expect(terminals[0]?.heard).toEqual(['kill', 'release']);
  });

  test('never becomes a job, however long it takes; closing ends it', async () => {
    const { bash, terminals } = open();
    const called = bash.call({ command: 'x', wait: 0 });
    await expect.poll(() => terminals.length, { timeout: 10_000 }).toBe(1);
    bash.yield();
    await bash.close();
    await expect(called).rejects.toThrow();
    expect(terminals[0]?.heard).toEqual(['kill', 'release']);
  });
});

describe('what a terminal of the client cannot have runs as it would without', () => {
  test.each([
    ['a job', { command: 'x', async: true }],
    ['a command with input', { command: 'x', stdin: 'text' }],
    ['a command too long for an argument', { command: `: ${'x'.repeat(130_000)}` }],
  ])('%s', async (_name, input) => {
    const { bash, terminals, host } = open();
    await bash.call(input);
    expect(host.runs).toHaveLength(1);
    expect(terminals).toHaveLength(0);
  });
});

describe('a client that does wrong', () => {
  test('one that gives no terminal: the call says why, and nothing runs', async () => {
    const { bash, host } = open({ failing: ['create'] });
    const { error } = await bash.call({ command: 'x' });
    expect(error).toMatchObject({ id: 'spawn_failed', message: expect.stringContaining('create failed') });
    expect(host.runs).toHaveLength(0);
  });

  test('one that never tells of an end: the output tells it', async () => {
    for (const how of [{ silent: ['waitForExit'] }, { failing: ['waitForExit'] }] as FakeTerminalsOptions[]) {
      const { bash } = open({ ...how, onCreate: says('out', { exitCode: 4 }) });
      expect((await bash.call({ command: 'x' })).run).toMatchObject({ exitCode: 4, output: { text: 'out' } });
    }
  });

  test('one that shows no output: the end still comes', async () => {
    const { bash } = open({ failing: ['output'], onCreate: says('out', { exitCode: 4 }) });
    expect((await bash.call({ command: 'x' })).run).toMatchObject({ exitCode: 4 });
  });

  test('one that answers nothing at all once a command runs: the limit ends the call, and the result says so', async () => {
    const { bash, terminals } = open({ silent: ['output', 'waitForExit', 'kill', 'release'] });
    const { run } = await bash.call({ command: 'x', timeout: 1 });
    expect(run.status).toBe('timed_out');
    expect(run.notes.join()).toMatch(/may still be running there.*did not release the terminal/);
    expect(terminals[0]?.heard).toEqual(['kill', 'release']);
  });

  test('one whose every call fails: the run is lost, and given back', async () => {
    const { bash, terminals } = open({ failing: ['output', 'waitForExit', 'kill', 'release'] });
    const { run } = await bash.call({ command: 'x', timeout: 0 });
    expect(run.status).toBe('lost');
    expect(terminals[0]?.heard).toEqual(['release']);
  });

  test('one that does not kill: the grace ends the wait', async () => {
    const { bash } = open({ killed: null });
    const { run } = await bash.call({ command: 'x', timeout: 1 });
    expect(run.status).toBe('timed_out');
    expect(run.notes.join()).toContain('may still be running there');
  });
});

test('a host that is not this machine goes before: terminals are no way out of it', async () => {
  const directory = temporaryDirectory();
  const { clients, terminals } = createFakeTerminals();
  const host = createFakeHost({ directory });
  const bash = createBash({ cwd: directory, stateDirectory: directory, host, clientTerminals: clients });
  await bash.call({ command: 'x' });
  expect(host.runs).toHaveLength(1);
  expect(terminals).toHaveLength(0);
});
