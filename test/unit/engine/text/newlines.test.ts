import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countNewlines } from '../../../../src/engine/text/utf8.ts';

test('newlines are counted right wherever they are, at any alignment', () => {
  const byte = fc.constantFrom(10, 10, 10, 0x61, 0x0b, 0x8a, 0, 0xff, 0x80);
  const sparse = fc.array(byte, { maxLength: 300 });
  fc.assert(
    fc.property(sparse, fc.nat(3), fc.nat(200), (values, offset, dense) => {
      const bytes = Buffer.from([...Array(offset).fill(1), ...Array(dense).fill(10), ...values]).subarray(
        offset,
      );
      expect(countNewlines(bytes)).toBe(bytes.filter((value) => value === 10).length);
    }),
    { numRuns: 500 },
  );
});
