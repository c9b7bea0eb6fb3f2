import { appendFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StartLogLine } from '../../../../src/tool/journal/journal.ts';
import { Journal, readLog } from '../../../../src/tool/journal/journal.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

function start(runId: string, more: Partial<StartLogLine> = {}): StartLogLine {
  return {
    event: 'start',
    time: '2026-01-02T03:04:05.678Z',
    session: 'mine',
    runId,
    profile: 'agent',
    host: 'local',
    command: `echo ${runId}`,
    cwd: '/',
    verdict: 'allow',
    background: false,
    ...more,
  };
}

const everything = { limit: 1_000, session: null };

test('a run is one entry, with its end once that was seen', () => {
  const stateDirectory = temporaryDirectory();
  const journal = new Journal(stateDirectory);
  journal.write(start('a'));
  journal.write(start('b', { background: true }));
  journal.write({
    event: 'end',
    time: '2026-01-02T03:04:06.000Z',
    session: 'mine',
    runId: 'a',
    status: 'exited',
    exitCode: 3,
    signal: null,
    durationMs: 12,
    outputBytes: 5,
  });
  expect(readLog({ stateDirectory, ...everything })).toMatchObject([
    { runId: 'a', command: 'echo a', status: 'exited', exitCode: 3, durationMs: 12, outputBytes: 5 },
    { runId: 'b', command: 'echo b', status: null, exitCode: null, background: true },
  ]);
});

test('a refusal is an entry of its own', () => {
  const stateDirectory = temporaryDirectory();
  const { runId: _, background: __, ...line } = start('a');
  new Journal(stateDirectory).write({
    ...line,
    event: 'refused',
    verdict: 'deny',
    error: 'blocked_by_policy',
  });
  expect(readLog({ stateDirectory, ...everything })).toMatchObject([
    { runId: null, verdict: 'deny', status: 'refused', error: 'blocked_by_policy' },
  ]);
});

test('the newest are read, of one session if that is asked for', () => {
  const stateDirectory = temporaryDirectory();
  const journal = new Journal(stateDirectory);
  for (const [index, session] of ['x', 'y', 'x', 'y', 'x'].entries())
    journal.write(start(`r${index}`, { session }));
  const ids = (query: { limit: number; session: string | null }) =>
    readLog({ stateDirectory, ...query }).map(({ runId }) => runId);
  expect(ids({ limit: 2, session: null })).toEqual(['r3', 'r4']);
  expect(ids({ limit: 2, session: 'x' })).toEqual(['r2', 'r4']);
  expect(ids({ limit: 0, session: null })).toEqual([]);
});

test('a full file is put aside, and the oldest of those go', () => {
  const stateDirectory = temporaryDirectory();
  const journal = new Journal(stateDirectory, { maxFileBytes: 500, maxFiles: 2 });
  for (let index = 0; index < 40; index += 1) {
    journal.write(start(`r${index}`, { time: `2026-01-02T03:04:${String(index).padStart(2, '0')}.000Z` }));
  }
  const files = readdirSync(join(stateDirectory, 'log'));
  expect(files.length).toBeLessThanOrEqual(3);
  const ids = readLog({ stateDirectory, ...everything }).map(({ runId }) => runId);
  expect(ids.at(-1)).toBe('r39');
  expect(ids).toEqual([...ids].sort((a, b) => Number(a?.slice(1)) - Number(b?.slice(1))));
});

test('only the user can read it', () => {
  const stateDirectory = temporaryDirectory();
  new Journal(stateDirectory).write(start('a'));
  expect(statSync(join(stateDirectory, 'log')).mode & 0o077).toBe(0);
  expect(statSync(join(stateDirectory, 'log/current.jsonl')).mode & 0o077).toBe(0);
});

test('a line that is broken or foreign does not hide the others', () => {
  const stateDirectory = temporaryDirectory();
  const journal = new Journal(stateDirectory);
  journal.write(start('a'));
  appendFileSync(join(stateDirectory, 'log/current.jsonl'), '{"event":"start","sess\n17\n\n');
  journal.write(start('b'));
  expect(readLog({ stateDirectory, ...everything }).map(({ runId }) => runId)).toEqual(['a', 'b']);
});

test('a log that cannot be written says why, and there is nothing to read', () => {
  const stateDirectory = '/dev/null/nowhere';
  expect(new Journal(stateDirectory).write(start('a'))).toContain('ENOTDIR');
  expect(readLog({ stateDirectory, ...everything })).toEqual([]);
});
