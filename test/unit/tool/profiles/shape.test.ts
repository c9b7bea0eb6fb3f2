import { describe, expect, test } from 'vitest';
import type { Ending } from '../../../../src/engine/run/run-request.ts';
import { NacreError } from '../../../../src/errors.ts';
import { EMPTY_OUTPUT } from '../../../../src/tool/call/call-results.ts';
import { toCallOutcome } from '../../../../src/tool/contract/result.ts';
import { resolveOptions } from '../../../../src/tool/options/resolve-options.ts';
import { agentProfile } from '../../../../src/tool/profiles/agent.ts';
import { modesProfile } from '../../../../src/tool/profiles/modes.ts';
import type { FinishedSummary } from '../../../../src/tool/profiles/profile.ts';
import { toDefaultTimeLimit, toTimeLimit } from '../../../../src/tool/profiles/profile.ts';
import { simpleProfile } from '../../../../src/tool/profiles/simple.ts';

function finished(
  ending: Ending,
  { text = '', ...more }: Partial<FinishedSummary> & { text?: string } = {},
): FinishedSummary {
  return {
    ending,
    outcome: toCallOutcome(ending),
    wallTimeMs: 12,
    timeLimit: toDefaultTimeLimit(30_000),
    shown: { output: { ...EMPTY_OUTPUT, text }, truncation: null, apart: null },
    notes: [],
    ...more,
  };
}

const ok: Ending = { kind: 'exited', exitCode: 0 };
const failed: Ending = { kind: 'exited', exitCode: 3 };
const killed: Ending = { kind: 'signaled', signal: 'SIGKILL', number: 9 };
const timedOut: Ending = { kind: 'stopped', reason: 'timeout', forced: false };
const lost: Ending = { kind: 'lost', why: 'reboot' };

const job = {
  id: 'run1',
  pid: 42,
  pgid: 42,
  outputFile: '/runs/run1/background.log',
  state: 'running',
} as const;

/** A job that nobody waited for. */
const unseen = { shown: null, wallTimeMs: 0, isSandboxedOrRemote: false };

describe('agent', () => {
  test('what worked is its output and nothing else', () => {
    expect(agentProfile.shapeFinished(finished(ok, { text: 'hello\n' }))).toEqual({
      text: 'hello\n',
      isError: false,
      details: { timeoutSeconds: 30, wallTimeMs: 12 },
    });
    expect(agentProfile.shapeFinished(finished(ok)).text).toBe('(no output)');
  });

  test.each([
    [failed, 'Command exited with code 3', { exitCode: 3 }],
    [killed, 'Command exited with code 137 (SIGKILL)', { exitCode: 137, signal: 'SIGKILL' }],
    [timedOut, 'Command timed out after 30 seconds', { timedOut: true }],
    [lost, 'Command failed: missing exit status', {}],
  ] as const)('%j is an error whose last line says why', (ending, line, details) => {
    const shaped = agentProfile.shapeFinished(finished(ending, { text: 'partial\n' }));
    expect(shaped).toEqual({
      text: `partial\n\n${line}`,
      isError: true,
      details: { timeoutSeconds: 30, wallTimeMs: 12, ...details },
    });
  });

  test('notes stand between the output and the last line', () => {
    const notes = ['One.', 'Two.'];
    expect(agentProfile.shapeFinished(finished(failed, { text: 'x', notes })).text).toBe(
      'x\n\nOne.\nTwo.\nCommand exited with code 3',
    );
    expect(agentProfile.shapeFinished(finished(ok, { notes })).text).toBe('(no output)\n\nOne.\nTwo.');
  });

  test('the limit is in the details, with what was asked for when that was clamped', () => {
    const limit = (requestedSeconds: number) =>
      toTimeLimit({ requestedSeconds, defaultMs: 300_000, maxMs: 3_600_000 });
    expect(agentProfile.shapeFinished(finished(ok, { timeLimit: limit(9_999) })).details).toEqual({
      timeoutSeconds: 3_600,
      requestedTimeoutSeconds: 9_999,
      wallTimeMs: 12,
    });
    expect(agentProfile.shapeFinished(finished(ok, { timeLimit: limit(0) })).details).toEqual({
      timeoutSeconds: 0,
      timeoutDisabled: true,
      wallTimeMs: 12,
    });
  });

  test('a cut is in the details', () => {
    const truncation = {
      direction: 'tail',
      truncatedBy: 'bytes',
      totalLines: 9,
      totalBytes: 99,
      outputLines: 1,
      outputBytes: 1,
    } as const;
    const shown = { output: { ...EMPTY_OUTPUT, text: 'x' }, truncation, apart: null };
    expect(agentProfile.shapeFinished(finished(ok, { shown })).details).toMatchObject({
      meta: { truncation },
    });
  });

  test('elsewhere no file and no number of this machine is named', () => {
    const timeLimit = toDefaultTimeLimit(1000);
    const started = { job, label: 'x', timeLimit, notes: [], ...unseen, isSandboxedOrRemote: true };
    const { text } = agentProfile.shapeStarted(started);
    expect(text).toMatch(/^Background job run1 started: x\nThe job tool takes this id: [^\n]*$/);
  });

  test('a job is started with its id, what it is, where its output goes and how to stop it', () => {
    const timeLimit = toDefaultTimeLimit(86_400_000);
    const shaped = agentProfile.shapeStarted({
      job,
      label: 'npm run dev',
      timeLimit,
      notes: ['Clamped.'],
      ...unseen,
    });
    expect(shaped.text.split('\n').slice(0, 2)).toEqual([
      'Clamped.',
      'Background job run1 started: npm run dev',
    ]);
    expect(shaped.text).toContain('/runs/run1/background.log');
    expect(shaped.text).toContain('kill -9 -42');
    expect(shaped).toMatchObject({
      isError: false,
      details: { timeoutSeconds: 86_400, async: { state: 'running', jobId: 'run1', type: 'bash' } },
    });
  });

  test('a refusal is its message', () => {
    const error = new NacreError('cwd_missing', { cwd: '/x' });
    expect(agentProfile.shapeRefused(error, resolveOptions())).toEqual({
      text: 'Working directory does not exist: /x',
      isError: true,
      details: { timeoutSeconds: 300 },
    });
  });
});

describe('modes', () => {
  test.each([
    [ok, 'out\n', false],
    [failed, '[command failed: exit code 3]\nout\n', true],
    [killed, '[command failed: exit code 137 (SIGKILL)]\nout\n', true],
    [timedOut, '[command timed out after 30s]\nout\n', true],
    [lost, '[command failed: missing exit status]\nout\n', true],
  ] as const)('%j comes before the output', (ending, text, isError) => {
    expect(modesProfile.shapeFinished(finished(ending, { text: 'out\n' }))).toMatchObject({ text, isError });
  });

  test('slow mode says its limit in seconds', () => {
    const timeLimit = toDefaultTimeLimit(900_000);
    expect(modesProfile.shapeFinished(finished(timedOut, { timeLimit })).text).toBe(
      '[command timed out after 900s]\n(no output)',
    );
  });

  test('a background start is three tags', () => {
    expect(
      modesProfile.shapeStarted({ job, label: 'x', timeLimit: toDefaultTimeLimit(1), notes: [], ...unseen }),
    ).toMatchObject({
      text: '<pid>42</pid>\n<output_file>/runs/run1/background.log</output_file>\n<reminder>To stop: kill -9 -42</reminder>',
      isError: false,
    });
  });

  test('notes come last', () => {
    expect(modesProfile.shapeFinished(finished(ok, { text: 'out\n', notes: ['A.', 'B.'] })).text).toBe(
      'out\n\n[A.]\n[B.]',
    );
  });
});

describe('simple', () => {
  const shaped = (ending: Ending, apart: { stdout: string; stderr: string }, notes: readonly string[] = []) =>
    simpleProfile.shapeFinished(
      finished(ending, { shown: { output: EMPTY_OUTPUT, truncation: null, apart }, notes }),
    );

  test('stdout, stderr and the exit code, as JSON and as details', () => {
    const result = shaped(failed, { stdout: 'a', stderr: 'b' });
    expect(result.details).toEqual({ stdout: 'a', stderr: 'b', exitCode: 3 });
    expect(JSON.parse(result.text)).toEqual(result.details);
    expect(result.isError).toBe(false);
  });

  test.each([
    [127, 'bash: line 1: nope: command not found\n', 'bash: line 1: nope: command not found'],
    [126, 'bash: line 1: ./x: Permission denied\n', 'bash: line 1: ./x: Permission denied'],
    [127, '', 'command not found'],
    [126, '', 'permission denied'],
  ])('exit code %i carries an error too', (exitCode, stderr, error) => {
    const result = shaped({ kind: 'exited', exitCode }, { stdout: '', stderr });
    expect(result).toMatchObject({ isError: true, details: { error, stdout: '', stderr, exitCode } });
  });

  test('a time limit is an error with what there was, and no exit code', () => {
    expect(shaped(timedOut, { stdout: 'a', stderr: 'b' })).toMatchObject({
      isError: true,
      details: { error: 'Command timed out after 30 seconds', stdout: 'a', stderr: 'b' },
    });
    expect(shaped(timedOut, { stdout: 'a', stderr: 'b' }).details).not.toHaveProperty('exitCode');
  });

  test('a refusal is an error and nothing else', () => {
    expect(simpleProfile.shapeRefused(new NacreError('closed'), resolveOptions()).details).toEqual({
      error: 'This instance is closed. Create another one with createBash().',
    });
  });

  test('notes are there only when there are any', () => {
    expect(shaped(ok, { stdout: '', stderr: '' }, ['N.']).details).toMatchObject({ notes: ['N.'] });
    expect(shaped(ok, { stdout: '', stderr: '' }).details).not.toHaveProperty('notes');
  });
});
