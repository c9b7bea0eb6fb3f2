import { expect, test } from 'vitest';
import { storm } from '../../storm/storm.mjs';

test('however a caller is killed, no job, no end and no word about one is lost, and nothing runs twice', async () => {
  const report = await storm({ rounds: 12, seed: Math.floor(Math.random() * 1_000_000) });
  expect(report.problems).toEqual([]);
  expect(report.runs).toBeGreaterThan(0);
});
