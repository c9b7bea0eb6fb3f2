import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputWindow } from '../../../../src/engine/output/output-window.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 });

function fill(pieces: readonly Uint8Array[], sizes: { headBytes: number; tailBytes: number }): OutputWindow {
  const window = new OutputWindow(sizes);
  const shared = Buffer.alloc(64);
  for (const piece of pieces) {
    // As the reader of a pipe does it: one buffer, used again and again.
    shared.set(piece);
    window.write(shared.subarray(0, piece.length));
    shared.fill(0x2a);
  }
  return window;
}

describe('an output window', () => {
  test('keeps both ends and counts everything once, however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(chunks, fc.nat(64), fc.nat(64), (pieces, headBytes, tailBytes) => {
        const whole = Buffer.concat(pieces);
        const { head, tail, totalBytes, newlines } = fill(pieces, { headBytes, tailBytes }).read();
        expect(head).toEqual(whole.subarray(0, headBytes));
        expect(tail).toEqual(whole.subarray(Math.max(head.length, whole.length - tailBytes)));
        expect(totalBytes).toBe(whole.length);
        expect(newlines).toBe(whole.filter((byte) => byte === 10).length);
      }),
      { numRuns: 500 },
    );
  });

  test('shows the latest bytes across both ends', () => {
    fc.assert(
      fc.property(chunks, fc.nat(64), fc.nat(64), fc.nat(100), (pieces, headBytes, tailBytes, wanted) => {
        const whole = Buffer.concat(pieces);
        const latest = fill(pieces, { headBytes, tailBytes }).latest(wanted);
        const held = whole.length <= headBytes + tailBytes ? whole.length : tailBytes;
        expect(latest).toEqual(whole.subarray(whole.length - Math.min(wanted, held)));
      }),
    );
  });

  test('loses nothing while it grows', () => {
    const window = new OutputWindow({ headBytes: 10, tailBytes: 50_000 });
    const parts: Buffer[] = [];
    for (let size = 1; Buffer.concat(parts).length < 60_000; size += 97) {
      parts.push(Buffer.alloc(size, `${size} `));
      window.write(Buffer.alloc(size, `${size} `));
      const whole = Buffer.concat(parts);
      expect(window.read().tail.equals(whole.subarray(Math.max(10, whole.length - 50_000)))).toBe(true);
    }
  });

  test('counts a last line that has no newline', () => {
    const window = new OutputWindow({ headBytes: 10, tailBytes: 10 });
    expect(window.totalLines).toBe(0);
    window.write(Buffer.from('a\nb'));
    expect(window.totalLines).toBe(2);
    window.write(Buffer.from('\n'));
    expect(window.totalLines).toBe(2);
  });

  test('what was read does not change with later writes', () => {
    const window = new OutputWindow({ headBytes: 2, tailBytes: 4 });
    window.write(Buffer.from('abcdef'));
    const { head, tail } = window.read();
    window.write(Buffer.from('XYZXYZ'));
    expect(`${head}${tail}`).toBe('abcdef');
  });

  test('takes two hundred thousand tiny chunks', () => {
    const window = new OutputWindow({ headBytes: 1000, tailBytes: 50_000 });
    const chunk = Buffer.from('0123456789\n');
    for (let count = 0; count < 200_000; count += 1) window.write(chunk);
    expect(window.totalBytes).toBe(2_200_000);
    expect(window.read().tail.toString('latin1').endsWith('56789\n0123456789\n')).toBe(true);
  });
});
