import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMask, NO_MASK } from '../../../../src/engine/output/mask.ts';

describe('a mask', () => {
  test('leaves no secret in any text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '$', '.'), minLength: 4, maxLength: 7 });
    const parts = fc.array(fc.oneof(letters, fc.constantFrom('a', 'x', ' ')), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), parts, (secrets, words) => {
        const text = [...words, ...secrets].join('');
        const masked = createMask(secrets).apply(text);
        for (const secret of secrets) expect(masked.replaceAll('[redacted]', '|')).not.toContain(secret);
      }),
      { numRuns: 500 },
    );
  });

  test('changes nothing else', () => {
    expect(createMask(['hunter2', 'a+b(c)']).apply('pass=hunter2, other=a+b(c); aab(c)')).toBe(
      'pass=[redacted], other=[redacted]; aab(c)',
    );
  });

  test('takes overlapping secrets away whole', () => {
    expect(createMask(['abcdef', 'defghi']).apply('xabcdefghix')).toBe('x[redacted]x');
  });

  test('masks a secret of several lines line by line', () => {
    const mask = createMask(['-----BEGIN KEY-----\nMIIEabcd\n-----END KEY-----\n']);
    expect(mask.apply('x MIIEabcd y')).toBe('x [redacted] y');
    expect(mask.longest).toBe(19);
  });

  test('hides the start of a secret whose rest is still to come', () => {
    const mask = createMask(['hunter2', 'hunger-games']);
    expect(mask.applyUnfinished('pass=hunte')).toBe('pass=[redacted]');
    expect(mask.applyUnfinished('hunter2 hunger-gam')).toBe('[redacted] [redacted]');
    expect(mask.applyUnfinished('the hun')).toBe('the hun');
  });

  test('is none when there is nothing worth masking', () => {
    expect(createMask([])).toBe(NO_MASK);
    expect(createMask(['', '1', 'yes'])).toBe(NO_MASK);
  });
});
