import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeEndedRuns } from '../../../bench/lib/ended-runs.mjs';
import { RunStore, type StoredRun } from '../../../src/engine/run/run-store.ts';
import { openJobs } from '../../../src/tool/jobs/jobs.ts';
import { RunIndex } from '../../../src/tool/jobs/run-index.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';

const COUNT = 10_000;
const state = mkdtempSync(join(tmpdir(), 'nacre-test-'));
const index = join(state, 'runs-2.index');

afterAll(() => removeDirectory(state));

/** Counts the runs that are looked at where they are. */
class CountingStore extends RunStore {
  looks = 0;

  override find(id: string): StoredRun | null {
    this.looks += 1;
    return super.find(id);
  }
}

function list(): { readonly found: number; readonly looks: number } {
  const store = new CountingStore(state);
  const found = new RunIndex(store, state).list().length;
  return { found, looks: store.looks };
}

test('ten thousand ended runs are read once and come from the index afterwards', () => {
  makeEndedRuns(state, COUNT);
  expect(existsSync(index)).toBe(false);
  expect(list()).toEqual({ found: COUNT, looks: COUNT });
  const known = readFileSync(index, 'utf8');
  expect(known.length).toBeLessThan(COUNT * 200);
  expect(list()).toEqual({ found: COUNT, looks: 0 });
  // No list makes the file grow.
  expect(readFileSync(index, 'utf8')).toBe(known);
});

test('a program that has listed them holds no more than the list', () => {
  const text = `
    const { openJobs } = await import(${JSON.stringify(join(import.meta.dirname, '../../../dist/index.js'))});
    const jobs = openJobs({ stateDirectory: ${JSON.stringify(state)}, session: null });
    const count = jobs.list().length;
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let round = 0; round < 5; round += 1) jobs.list();
    globalThis.gc();
    console.log(JSON.stringify({ count, more: process.memoryUsage().heapUsed - before }));
  `;
  const args = ['--expose-gc', '--input-type=module', '-e', text];
  const { count, more } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(count).toBe(COUNT);
  expect(more).toBeLessThan(2 * 1024 ** 2);
});

test('pruned, they leave nothing, not even in the file', async () => {
  const jobs = openJobs({ stateDirectory: state, session: null });
  expect(await jobs.prune({ olderThanMs: 24 * 3_600_000 })).toBe(0);
  expect(await jobs.prune()).toBe(COUNT);
  expect(readdirSync(join(state, 'runs'))).toEqual([]);
  expect(jobs.list()).toEqual([]);
  expect(statSync(index).size).toBe(0);
});
