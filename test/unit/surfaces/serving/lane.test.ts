import { expect, test } from 'vitest';
import { Lane } from '../../../../src/surfaces/serving/lane.ts';

test('so many at once and no more; a place that is given back is free, once', () => {
  const lane = new Lane(2, 'calls are under way');
  const first = lane.enter();
  lane.enter();
  expect(() => lane.enter()).toThrow('2 calls are under way, which is the limit. Wait for one to end first.');
  first();
  first();
  lane.enter();
  expect(() => lane.enter()).toThrow('which is the limit');
});

test('a place is given back however the work ends', async () => {
  const lane = new Lane(1, 'calls are under way');
  await expect(lane.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(
    lane.run(() => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  expect(await lane.run(() => 1)).toBe(1);
});
