import { expect, test } from 'vitest';
import {
  type PidCounters,
  PidWatermark,
  pidsMayHaveWrapped,
} from '../../../../../src/engine/process/pid-watermark.ts';

const LONG_AGO = performance.now() - 3_600_000;

function numbers({ forks = 0, threads = 300, lastPid = 5_000 } = {}): PidCounters {
  return { forks: () => forks, load: () => ({ lastPid, threads }), maxPid: () => 32_768 };
}

test('within a moment the numbers cannot have come round, whatever is counted', () => {
  const mark = { at: performance.now(), lastPid: 5_000, forks: 0 };
  expect(pidsMayHaveWrapped(mark, numbers())).toBe(false);
});

test.each([
  { made: 0, wrapped: false },
  { made: 27_467, wrapped: false },
  { made: 27_468, wrapped: true },
  { made: 1_000_000, wrapped: true },
])('an hour in which $made processes were made: come round is $wrapped', ({ made, wrapped }) => {
  const mark = { at: LONG_AGO, lastPid: 5_000, forks: 70_000 };
  expect(pidsMayHaveWrapped(mark, numbers({ forks: 70_000 + made }))).toBe(wrapped);
});

test('numbers in use are passed over, so the more there are the sooner they come round', () => {
  const mark = { at: LONG_AGO, lastPid: 5_000, forks: 70_000 };
  expect(pidsMayHaveWrapped(mark, numbers({ forks: 80_000, threads: 17_000 }))).toBe(false);
  expect(pidsMayHaveWrapped(mark, numbers({ forks: 80_000, threads: 18_000 }))).toBe(true);
});

test.each([
  ['nobody counted then', { at: LONG_AGO, lastPid: 5_000, forks: 0 }, 90_000],
  ['nobody counts now', { at: LONG_AGO, lastPid: 5_000, forks: 70_000 }, 0],
  ['the last number was not known', { at: performance.now(), lastPid: Number.NaN, forks: 70_000 }, 70_000],
])('when %s, they may have', (_, mark, forks) => {
  expect(pidsMayHaveWrapped(mark, numbers({ forks }))).toBe(true);
});

test('a clock counts rarely, and what it says of a moment is never too much', () => {
  let forks = 100;
  const clock = new PidWatermark({ ...numbers(), forks: () => forks++ });
  const marks = Array.from({ length: 50 }, () => clock.sample());
  expect(marks.every((mark) => mark.forks <= forks && mark.lastPid > 0)).toBe(true);
  expect(forks).toBeLessThan(110);
});
