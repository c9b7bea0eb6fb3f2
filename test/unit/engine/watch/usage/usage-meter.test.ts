import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKernelUnits, UsageMeter } from '../../../../../src/engine/watch/usage-meter.ts';
import { fakeProc } from '../../../../helpers/fake-proc.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

const units = { pageBytes: 4096, ticksPerSecond: 100 };
/** Numbers that no process can have. */
const [A, B] = [90_000_001, 90_000_002];

test('processor time and memory of all live processes are added up', () => {
  const { root } = fakeProc([{ pid: A }, { pid: B }, { pid: B + 1, state: 'Z' }]);
  const usage = new UsageMeter({ root, units }).measure([A, B, B + 1, B + 2]);
  // Each has computed 7 + 5 ticks, its children 3 + 1, and has 25 pages.
  expect(usage).toEqual({ cpu: null, cpuSeconds: 0.32, residentBytes: 2 * 25 * 4096, processes: 2 });
});

test('between two looks the time that was computed is held against the time that passed', () => {
  let now = 1000;
  const { root, update } = fakeProc([{ pid: A }, { pid: B }]);
  const meter = new UsageMeter({ root, units, now: () => now });
  meter.measure([A, B]);
  now += 500;
  update({ pid: A, ticks: [32, 5, 3, 1] });
  update({ pid: B, ticks: [7, 30, 3, 1] });
  expect(meter.measure([A, B]).cpu).toBeCloseTo(1);
  now += 500;
  expect(meter.measure([A, B]).cpu).toBe(0);
});

test('a child that ended and was waited for is neither lost nor counted twice', () => {
  let now = 1000;
  const { root, update, remove } = fakeProc([
    { pid: A, ticks: [0, 0, 0, 0] },
    { pid: B, ticks: [10, 0, 0, 0] },
  ]);
  const meter = new UsageMeter({ root, units, now: () => now });
  meter.measure([A, B]);
  now += 1000;
  remove(B);
  // 30 ticks in total, 20 of them since the last measurement.
  update({ pid: A, ticks: [0, 0, 30, 0] });
  expect(meter.measure([A]).cpu).toBeCloseTo(0.2);
});

test('a process that exits gives no negative share, and no elapsed time gives none', () => {
  let now = 1000;
  const { root } = fakeProc([{ pid: A }]);
  const meter = new UsageMeter({ root, units, now: () => now });
  meter.measure([A]);
  expect(meter.measure([A]).cpu).toBeNull();
  now += 1000;
  expect(meter.measure([])).toEqual({ cpu: 0, cpuSeconds: 0, residentBytes: 0, processes: 0 });
});

test('the units are those of this machine', () => {
  const { pageBytes, ticksPerSecond } = readKernelUnits();
  expect(Math.log2(pageBytes) % 1).toBe(0);
  expect(pageBytes).toBeGreaterThanOrEqual(4096);
  expect(ticksPerSecond).toBe(100);
});

test('without an auxiliary vector the defaults are used', () => {
  expect(readKernelUnits('/nowhere')).toEqual(units);
  const path = join(temporaryDirectory(), 'auxv');
  writeFileSync(path, 'short');
  expect(readKernelUnits(path)).toEqual(units);
});
