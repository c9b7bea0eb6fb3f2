import { expect, test } from 'vitest';
import type { JobInfo } from '../../../../src/tool/contract/job.ts';
import { renderElapsed, renderJobStatus } from '../../../../src/tool/jobs/job-status.ts';
import { renderJobOutput } from '../../../../src/tool/jobs/perform-job.ts';

const job: JobInfo = {
  id: 'run1',
  session: 's',
  name: null,
  restarts: 0,
  label: 'npm test',
  command: 'npm test',
  cwd: '/',
  state: 'running',
  status: 'running',
  exitCode: null,
  signal: null,
  lostBecause: null,
  pid: 42,
  leftoverPids: [],
  takesInput: false,
  startedAt: 1_000,
  endedAt: null,
  outputFile: '/x',
};
const ended = { ...job, status: 'exited', endedAt: 13_000 } as const;

test.each<[string, JobInfo]>([
  ['running for 45 s: job run1, npm test', job],
  ['completed (exit code 0) after 12 s: job run1, npm test', { ...ended, state: 'completed', exitCode: 0 }],
  ['failed (exit code 3) after 12 s: job run1, npm test', { ...ended, state: 'failed', exitCode: 3 }],
  [
    'failed (exit code 137, SIGKILL) after 12 s: job run1, npm test',
    { ...ended, state: 'failed', status: 'signaled', exitCode: 137, signal: 'SIGKILL' },
  ],
  ['failed (timed out) after 12 s: job run1, npm test', { ...ended, state: 'failed', status: 'timed_out' }],
  ['failed (aborted) after 12 s: job run1, npm test', { ...ended, state: 'failed', status: 'aborted' }],
  [
    'failed (exit code unknown: the machine was restarted): job run1, npm test',
    { ...ended, state: 'failed', status: 'lost', lostBecause: 'the machine was restarted' },
  ],
  [
    'running for 45 s (the command ended: exit code 0; it left pid 7, 8 running): job run1, npm test',
    { ...ended, exitCode: 0, leftoverPids: [7, 8] },
  ],
  ['running for 45 s: job run1 (service web), npm test', { ...job, name: 'web' }],
  ['running for 45 s: job run1 (service web, restarts: 2), npm test', { ...job, name: 'web', restarts: 2 }],
])('%s', (text, info) => {
  expect(renderJobStatus(info, 46_000)).toBe(text);
});

test('times are said in one unit', () => {
  expect([0, 1_234, 45_000, 119_000, 600_000, 8_000_000].map(renderElapsed)).toEqual([
    '0.0 s',
    '1.2 s',
    '45 s',
    '119 s',
    '10 min',
    '2 h',
  ]);
});

test('output names its lines, the remaining bytes and the offset to continue from', () => {
  const output = { text: 'a\nb\n', next: 4, totalBytes: 4, lines: [{ from: 1, to: 2 }], notes: [] };
  expect(renderJobOutput(output)).toBe('a\nb\n\n[lines 1-2; continue from byte 4]');
  expect(renderJobOutput({ ...output, lines: [], totalBytes: 9, notes: ['Gone.'] })).toBe(
    'a\nb\n\n[5 bytes more; continue from byte 4]\n[Gone.]',
  );
  expect(renderJobOutput({ ...output, text: '', lines: [] })).toBe('(no output)\n\n[continue from byte 4]');
});
