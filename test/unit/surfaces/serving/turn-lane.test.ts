import { expect, test } from 'vitest';
import { BackpressureQueue, ConcurrencyLimit } from '../../../../src/surfaces/serving/concurrency-limit.ts';

const open = (limit: number, ready: () => Promise<void> | undefined = () => undefined): BackpressureQueue =>
  new BackpressureQueue(new ConcurrencyLimit(limit, 'reads wait'), ready);

function openGate(): { readonly gate: Promise<void>; go(): void } {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { gate, go: () => go() };
}

test('one after the other, and one that fails does not hold up the next', async () => {
  const lane = open(10);
  const seen: string[] = [];
  const read = (name: string, fails = false): Promise<void> =>
    lane.run(async () => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const all = await Promise.allSettled([read('first', true), read('second')]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

test('so many wait for their turn, and no more', async () => {
  const { gate, go } = openGate();
  const lane = open(3);
  const reads = Array.from({ length: 3 }, () => lane.run(() => gate));
  await expect(lane.run(() => gate)).rejects.toThrow('3 reads wait, which is the limit');
  go();
  await Promise.all(reads);
  await lane.run(async () => undefined);
});

test('nothing is begun while the client has not taken what there is', async () => {
  const { gate, go } = openGate();
  let isBegun = false;
  const read = open(1, () => gate).run(async () => {
    isBegun = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isBegun).toBe(false);
  go();
  await read;
  expect(isBegun).toBe(true);
});
