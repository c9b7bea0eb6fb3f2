import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NewOutputTracker } from '../../../../../src/engine/hosts/client-terminal-run.ts';

test('whatever comes in steps shorter than what is held arrives whole and once', () => {
  const word = fc.stringMatching(/^[ab\n]{0,8}$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (pieces) => {
      // Different ends make each window unique; equal ones would be ambiguous.
      const parts = pieces.map((piece, at) => `${piece}<${at}>`);
      const held = 2 * Math.max(1, ...parts.map(({ length }) => length));
      const output = new NewOutputTracker();
      let all = '';
      let read = '';
      for (const part of parts) {
        all += part;
        read += output.next(all.slice(-held));
      }
      expect(read).toBe(all);
      expect(output.gaps).toBe(0);
    }),
  );
});

test('output that was dropped between two polls is counted', () => {
  const output = new NewOutputTracker();
  expect(output.next('one')).toBe('one');
  expect(output.next('xyz')).toBe('xyz');
  expect(output.gaps).toBe(1);
});

test('half a megabyte of the same line costs no time to speak of', () => {
  const output = new NewOutputTracker();
  const window = 'y\n'.repeat(128 * 1024);
  output.next(`x${window}`.slice(0, -1));
  const started = performance.now();
  for (let look = 0; look < 5; look += 1) output.next(look % 2 === 0 ? window : `${window.slice(1)}y`);
  expect(performance.now() - started).toBeLessThan(5_000);
});
