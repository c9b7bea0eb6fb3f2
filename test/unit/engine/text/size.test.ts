import { expect, test } from 'vitest';
import { toCompactSize, toGroupedNumber, toHumanSize } from '../../../../src/engine/text/format-size.ts';

test.each([
  [0, '0B', '0 bytes'],
  [1, '1B', '1 byte'],
  [1023, '1023B', '1023 bytes'],
  [1024, '1.0KB', '1.0 KB'],
  [131_072, '128.0KB', '128.0 KB'],
  [204_800, '200.0KB', '200.0 KB'],
  [1_258_291, '1.2MB', '1.2 MB'],
  [1024 ** 3 * 2.5, '2.5GB', '2.5 GB'],
])('%i bytes are written %s and %s', (bytes, compact, human) => {
  expect(toCompactSize(bytes)).toBe(compact);
  expect(toHumanSize(bytes)).toBe(human);
});

test('a size that rounds up to the next unit is written in it', () => {
  expect(toHumanSize(1024 ** 2 - 1)).toBe('1.0 MB');
  expect(toCompactSize(1024 ** 3 - 1)).toBe('1.0GB');
});

test('large numbers are grouped by thousands', () => {
  expect([0, 999, 1000, 1_234_567].map(toGroupedNumber)).toEqual(['0', '999', '1,000', '1,234,567']);
});
