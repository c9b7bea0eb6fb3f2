import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecretMask, NO_SECRET_MASK } from '../../../../src/engine/output/secret-mask.ts';

describe('a mask', () => {
  test('leaves no secret in any text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '$', '.'), minLength: 4, maxLength: 7 });
    const parts = fc.array(fc.oneof(letters, fc.constantFrom('a', 'x', ' ')), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), parts, (secrets, words) => {
        const text = [...words, ...secrets].join('');
        const masked = createSecretMask(secrets).apply(text);
        for (const secret of secrets) expect(masked.replaceAll('[redacted]', '|')).not.toContain(secret);
      }),
      { numRuns: 500 },
    );
  });

  test('changes nothing else', () => {
    expect(createSecretMask(['hunter2', 'a+b(c)']).apply('pass=hunter2, other=a+b(c); aab(c)')).toBe(
      'pass=[redacted], other=[redacted]; aab(c)',
    );
  });

  test('takes overlapping secrets away whole', () => {
    expect(createSecretMask(['abcdef', 'defghi']).apply('xabcdefghix')).toBe('x[redacted]x');
  });

  test('masks a secret of several lines line by line', () => {
    const mask = createSecretMask(['-----BEGIN KEY-----\nMIIEabcd\n-----END KEY-----\n']);
    expect(mask.apply('x MIIEabcd y')).toBe('x [redacted] y');
    expect(mask.maxSecretLength).toBe(19);
  });

  test('hides the start of a secret whose rest is still to come', () => {
    const mask = createSecretMask(['hunter2', 'hunger-games']);
    expect(mask.applyToPartialText('pass=hunte')).toBe('pass=[redacted]');
    expect(mask.applyToPartialText('hunter2 hunger-gam')).toBe('[redacted] [redacted]');
    expect(mask.applyToPartialText('the hun')).toBe('the hun');
  });

  test('is none when there is nothing worth masking', () => {
    expect(createSecretMask([])).toBe(NO_SECRET_MASK);
    expect(createSecretMask(['', '1', 'yes'])).toBe(NO_SECRET_MASK);
  });
});
