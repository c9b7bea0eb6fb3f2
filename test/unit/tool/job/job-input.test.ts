import { describe, expect, test } from 'vitest';
import { NacreError } from '../../../../src/errors.ts';
import { parseJobInput } from '../../../../src/tool/jobs/perform-job.ts';
import { toKeyEffect } from '../../../../src/tool/jobs/send-to-job.ts';
import { setUpFake, textOf } from '../../../helpers/fake-bash.ts';

function refusal(input: unknown): string {
  try {
    parseJobInput(input);
  } catch (error) {
    expect(error).toBeInstanceOf(NacreError);
    expect((error as NacreError).code).toBe('bad_input');
    return (error as NacreError).message;
  }
  return 'accepted';
}

test('valid input is accepted, with null for absent fields', () => {
  expect(parseJobInput({ action: 'list', id: null, seconds: null })).toEqual({ action: 'list', ids: [] });
  expect(parseJobInput({ action: 'kill', id: 'a', signal: 'hup' })).toEqual({
    action: 'kill',
    ids: ['a'],
    signal: 'SIGHUP',
  });
  expect(parseJobInput({ action: 'wait', id: ['a', 'b'], pattern: 'x\\-y' })).toMatchObject({
    ids: ['a', 'b'],
    pattern: /x-y/,
  });
});

test.each([
  [{}, 'action: is required: one of "list", "peek", "wait", "send", "kill"'],
  [{ action: 'stop' }, 'action: expected one of "list", "peek", "wait", "send", "kill", got the text "stop"'],
  [{ action: 'peek' }, 'id: is required for peek: the id of a job; list shows them'],
  [{ action: 'wait', id: [] }, 'id: is required for wait: the id of a job; list shows them'],
  [{ action: 'list', id: 'a' }, 'id: is not allowed with list, which takes nothing else'],
  [{ action: 'peek', id: ['a', 'b'] }, 'id: peek takes one job, got 2'],
  [{ action: 'peek', id: 'a', seconds: 5 }, 'seconds: is not allowed with peek, which takes id, lines, from'],
  [{ action: 'peek', id: 7 }, 'id: expected text or a list of texts, got the number 7'],
  [{ action: 'peek', id: ['a', 7] }, 'id[1]: expected text, got the number 7'],
  [{ action: 'peek', id: 'a', lines: 1, from: 1 }, 'lines: cannot go with from: it selects the last lines'],
  [{ action: 'peek', id: 'a', from: -1 }, 'from: expected a whole number from 0, got the number -1'],
  [
    { action: 'wait', id: 'a', seconds: 3_601 },
    'seconds: expected a number from 0 to 3600, got the number 3601',
  ],
  [
    { action: 'wait', id: 'a', port: 70_000 },
    'port: expected a whole number from 1 to 65535, got the number 70000',
  ],
  [{ action: 'send', id: 'a' }, 'text: send requires text, keys or end'],
  [
    { action: 'kill', id: 'a', signal: 'NOPE' },
    'signal: expected the name of a signal, such as TERM, got the text "NOPE"',
  ],
  [
    { action: 'kill', id: 'a', signal: 'HUP', escalate: true },
    'signal: cannot go with escalate, which sends TERM and then KILL',
  ],
])('%j is refused with the field, what it got and what it takes', (input, message) => {
  expect(refusal(input)).toBe(message);
});

test('a pattern that is none is named', () => {
  expect(refusal({ action: 'wait', id: 'a', pattern: '(' })).toMatch(
    /^pattern: is not a regular expression: /,
  );
});

test('too many jobs at once are refused', () => {
  const id = Array.from({ length: 101 }, (_, at) => `${at}`);
  expect(refusal({ action: 'wait', id })).toBe('id: wait takes 100 jobs at most, got 101');
});

describe('keys', () => {
  test('are bytes, signals, or the end of the input', () => {
    expect(toKeyEffect('Enter')).toEqual({ kind: 'bytes', bytes: '\n' });
    expect(toKeyEffect('up')).toEqual({ kind: 'bytes', bytes: '\x1b[A' });
    expect(toKeyEffect('ctrl-a')).toEqual({ kind: 'bytes', bytes: '\x01' });
    expect(toKeyEffect('ctrl-c')).toEqual({ kind: 'signal', signal: 'SIGINT' });
    expect(toKeyEffect('ctrl-d')).toEqual({ kind: 'end' });
  });

  test.each(['', 'ctrl-', 'toString', 'F13'])('%j is none', (name) => {
    expect(toKeyEffect(name)).toBeNull();
  });
});

describe('the tool', () => {
  test('is offered with its schema, and only where there are jobs', () => {
    const { jobTool } = setUpFake().bash;
    expect(jobTool?.name).toBe('job');
    expect(jobTool?.inputSchema.required).toEqual(['action']);
    expect(setUpFake({ profile: 'modes' }).bash.jobTool).not.toBeNull();
    expect(setUpFake({ profile: 'simple' }).bash.jobTool).toBeNull();
    expect(setUpFake({ async: { enabled: false } }).bash.jobTool).toBeNull();
  });

  test('resolves for bad input, for a job that is not there, and where jobs are off', async () => {
    const { bash } = setUpFake();
    expect(await bash.job('list')).toMatchObject({
      isError: true,
      error: { id: 'bad_input' },
      details: { action: null, jobs: [] },
    });
    const missing = await bash.job({ action: 'peek', id: 'nothing' });
    expect(missing).toMatchObject({ isError: true, error: { id: 'job_not_found' } });
    expect(textOf(missing)).toBe('There is no job nothing in this session.');
    const off = setUpFake({ async: { enabled: false } });
    expect((await off.bash.job({ action: 'list' })).error?.id).toBe('async_disabled');
    expect(textOf(await bash.job({ action: 'list' }))).toBe('(no jobs)');
  });

  test('rejects when the instance is closed', async () => {
    const { bash } = setUpFake();
    await bash.close();
    await expect(bash.job({ action: 'list' })).rejects.toMatchObject({ code: 'closed' });
  });
});
