import { expect, test } from 'vitest';
import { ProcessScanner } from '../../../../../src/engine/process/process-scanner.ts';

const EVERYBODY = { above: 0, also: 0 };

test('all who ask in the same turn get one walk, who asks later another', async () => {
  const scanner = new ProcessScanner();
  const asked = await Promise.all(Array.from({ length: 100 }, () => scanner.scan(EVERYBODY)));
  expect(new Set(asked).size).toBe(1);
  expect(await scanner.scan(EVERYBODY)).not.toBe(asked[0]);
});

test('a walk that has begun is not for who asks now', async () => {
  const scanner = new ProcessScanner();
  const first = scanner.scan(EVERYBODY);
  const second = first.then(() => scanner.scan(EVERYBODY));
  expect(await second).not.toBe(await first);
});
