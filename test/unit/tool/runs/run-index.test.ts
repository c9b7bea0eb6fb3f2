import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderExitRecord } from '../../../../src/engine/run/exit-record.ts';
import { createRunId } from '../../../../src/engine/run/run-files.ts';
import { RunStore } from '../../../../src/engine/run/run-store.ts';
import { isJob, toJobInfo } from '../../../../src/tool/jobs/job-info.ts';
import { RunIndex } from '../../../../src/tool/jobs/run-index.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

const HOUR_AGO = Date.now() - 3_600_000;

/** A run's directory as it is left behind. */
function makeRun(
  state: string,
  { ending = 'exited 0', at = HOUR_AGO, ...asked }: Record<string, unknown> = {},
): string {
  const id = createRunId(Number(at));
  const directory = join(state, 'runs', id);
  mkdirSync(directory, { recursive: true });
  const all = { session: 's', label: 'npm test', command: 'npm test', cwd: '/', background: true, ...asked };
  writeFileSync(join(directory, 'run.json'), JSON.stringify({ ...all, id, startedAt: at }));
  writeFileSync(join(directory, 'who'), 'supervisor 29258 58060\ncommand 29259 58061\nboot another\n');
  const line = ending === 'running' ? 'running' : `${ending} - 0 ${(Number(at) + 5_000) / 1_000} -`;
  writeFileSync(join(directory, 'ending'), renderExitRecord(line));
  return id;
}

function setUp() {
  const state = temporaryDirectory();
  const store = new RunStore(state);
  const truth = () => store.list().map((run) => ({ info: toJobInfo(run), isJob: isJob(run) }));
  return {
    state,
    store,
    truth,
    file: join(state, 'runs-2.index'),
    list: () => new RunIndex(store, state).list(),
  };
}

test('index rows equal the runs on disk, for all kinds of runs', () => {
  const { state, truth, list, file } = setUp();
  for (let at = 0; at < 120; at += 1) {
    makeRun(state, {
      at: HOUR_AGO + at,
      ending: `exited ${at % 3}`,
      label: `job ${at}`,
      session: `s${at % 2}`,
    });
  }
  makeRun(state, { ending: 'signaled 9', service: 'web', input: 'open' });
  makeRun(state, { background: false });
  makeRun(state, { at: Date.now(), ending: 'exited 1' });
  makeRun(state, { ending: 'failed cwd' });
  makeRun(state, { command: 'x'.repeat(5_000) });
  const before = truth();
  expect(list()).toEqual(before);
  expect(existsSync(file)).toBe(true);
  expect(list()).toEqual(before);
});

test('it is really read: nothing but its name is asked of a run that is remembered', () => {
  const { state, list } = setUp();
  const ids = Array.from({ length: 110 }, (_, at) => makeRun(state, { at: HOUR_AGO + at }));
  const before = list();
  for (const id of ids) rmSync(join(state, 'runs', id, 'run.json'));
  expect(list()).toEqual(before);
});

test('runs that are gone are not listed, and new ones are', () => {
  const { state, list } = setUp();
  const ids = Array.from({ length: 110 }, (_, at) => makeRun(state, { at: HOUR_AGO + at }));
  list();
  rmSync(join(state, 'runs', ids[0] ?? ''), { recursive: true });
  const added = makeRun(state, { ending: 'running', at: Date.now() });
  const found = list().map(({ info }) => info.id);
  expect(found).toHaveLength(110);
  expect(found[0]).toBe(added);
  expect(found).not.toContain(ids[0]);
});

test.each(['[1,2', '{"a":1},\n', 'nonsense', '[],\n["x"'])('a file that holds %j is no harm', (text) => {
  const { state, truth, list, file } = setUp();
  for (let at = 0; at < 110; at += 1) makeRun(state, { at: HOUR_AGO + at });
  list();
  appendFileSync(file, text);
  expect(list()).toEqual(truth());
  writeFileSync(file, text);
  expect(list()).toEqual(truth());
});

test('a few missing runs are read each time; a run that may still change is never indexed', () => {
  const { state, truth, list, file } = setUp();
  for (let at = 0; at < 50; at += 1) makeRun(state, { at: HOUR_AGO + at });
  list();
  expect(existsSync(file)).toBe(false);
  for (let at = 0; at < 150; at += 1) makeRun(state, { at: Date.now(), ending: 'exited 0' });
  expect(list()).toEqual(truth());
  expect(existsSync(file)).toBe(false);
});

test('rows of runs that are gone do not pile up', () => {
  const { state, list, file } = setUp();
  const ids = Array.from({ length: 110 }, (_, at) => makeRun(state, { at: HOUR_AGO + at }));
  list();
  const row = readFileSync(file, 'utf8').split('\n')[0] ?? '';
  const stale = Array.from({ length: 6_000 }, (_, at) => `${row.replace(/^\["\w+"/, `["gone${at}"`)}\n`);
  appendFileSync(file, stale.join(''));
  expect(list()).toHaveLength(ids.length);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(ids.length + 1);
});
