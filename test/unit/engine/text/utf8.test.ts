import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countCharacters,
  incompleteUtf8Bytes,
  utf8Prefix,
  utf8Suffix,
} from '../../../../src/engine/text/utf8.ts';

const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '€', '🙂'), maxLength: 40 });

describe('unfinished bytes', () => {
  test('are those that a streaming TextDecoder holds back', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 8 }),
        fc.constantFrom(...[...'é€🙂a'].map((c) => Buffer.from(c))),
        (noise, character) => {
          for (let cut = 0; cut <= character.length; cut += 1) {
            const bytes = Buffer.concat([noise, character.subarray(0, cut)]);
            const complete = bytes.subarray(0, bytes.length - incompleteUtf8Bytes(bytes));
            const streaming = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
            expect(complete.toString('utf8')).toBe(streaming);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('taking the start or the end of a text', () => {
  test('gives the longest part that fits and never half a character', () => {
    fc.assert(
      fc.property(text, fc.nat(60), (whole, maxBytes) => {
        const characters = [...whole];
        const longest = (from: (count: number) => string): string => {
          let best = '';
          for (let count = 0; count <= characters.length; count += 1) {
            if (Buffer.byteLength(from(count)) <= maxBytes) best = from(count);
          }
          return best;
        };
        expect(utf8Prefix(whole, maxBytes)).toBe(longest((count) => characters.slice(0, count).join('')));
        expect(utf8Suffix(whole, maxBytes)).toBe(
          longest((count) => characters.slice(characters.length - count).join('')),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('counts code points', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(countCharacters(whole)).toBe([...whole].length);
      }),
    );
  });
});
