import { expect, test } from 'vitest';
import { Surveyor } from '../../../../../src/engine/run/tree/survey.ts';

const EVERYBODY = { above: 0, also: 0 };

test('all who ask in the same turn get one walk, who asks later another', async () => {
  const surveyor = new Surveyor();
  const asked = await Promise.all(Array.from({ length: 100 }, () => surveyor.take(EVERYBODY)));
  expect(new Set(asked).size).toBe(1);
  expect(await surveyor.take(EVERYBODY)).not.toBe(asked[0]);
});

test('a walk that has begun is not for who asks now', async () => {
  const surveyor = new Surveyor();
  const first = surveyor.take(EVERYBODY);
  const second = first.then(() => surveyor.take(EVERYBODY));
  expect(await second).not.toBe(await first);
});
