import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../../src/surfaces/serving/concurrency-limit.ts';

test('so many at once and no more; a place that is given back is free, once', () => {
  const lane = new ConcurrencyLimit(2, 'calls are under way');
  const first = lane.acquire();
  lane.acquire();
  expect(() => lane.acquire()).toThrow(
    '2 calls are under way, which is the limit. Wait for one to end first.',
  );
  first();
  first();
  lane.acquire();
  expect(() => lane.acquire()).toThrow('which is the limit');
});

test('a place is given back however the work ends', async () => {
  const lane = new ConcurrencyLimit(1, 'calls are under way');
  await expect(lane.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(
    lane.run(() => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  expect(await lane.run(() => 1)).toBe(1);
});
