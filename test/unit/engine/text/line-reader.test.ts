import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, LineReader } from '../../../../src/engine/text/line-reader.ts';

function read(pieces: readonly (Buffer | string)[], hold = 1000): Line[] {
  const lines: Line[] = [];
  const reader = new LineReader({ edgeCharacters: hold, onLine: (line) => lines.push(line) });
  for (const piece of pieces) {
    // The reader may not keep the buffer: the caller uses it again.
    const chunk = Buffer.from(piece);
    reader.write(chunk);
    chunk.fill(0x21);
  }
  reader.end();
  return lines;
}

const shown = (...pieces: (Buffer | string)[]): string[] => read(pieces).map(({ text }) => text);

/** Bytes that are likely to hit something: sequences, halves of characters, line ends, plain text. */
const interesting = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '\b',
    '\t',
    '\0',
    '\x07',
    '\x7f',
    '\x18',
    '\u009b31m',
    '\u009d',
    '\u009c',
  ),
  fc.constantFrom(
    '\x1b',
    '\x1b[',
    '\x1b[31m',
    '\x1b[K',
    '\x1b[2K',
    '\x1b[5G',
    '\x1b[3C',
    '\x1b[2D',
    '\x1b[?25l',
    '\x1b[1K',
  ),
  fc.constantFrom(
    '\x1b]0;title\x07',
    '\x1b]8;;http://x\x1b\\',
    '\x1bPq#0\x1b\\',
    '\x1b(B',
    '\x1b_G\x1b\\',
    '\x1bktitle\x1b\\',
    '\x1b]unfinished',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const anyBytes = fc
  .array(
    fc.oneof(
      interesting.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));
const cuts = fc.array(fc.nat(1000), { maxLength: 30 });

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

describe('a line reader', () => {
  test('gives the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(anyBytes, cuts, fc.constantFrom(1, 3, 1000), (bytes, places, hold) => {
        expect(read(cutAt(bytes, places), hold)).toEqual(read([bytes], hold));
      }),
      { numRuns: 1000 },
    );
  });

  test('gives one line per newline byte, with all raw bytes accounted for', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const lines = read([bytes]);
        const newlines = bytes.filter((byte) => byte === 10).length;
        expect(lines.filter(({ ended }) => ended)).toHaveLength(newlines);
        expect(lines.length - newlines).toBe(bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? 1 : 0);
        expect(lines.reduce((sum, { rawBytes }) => sum + rawBytes, 0)).toBe(bytes.length);
      }),
    );
  });

  test('never lets a control character through but a tab', () => {
    fc.assert(
      fc.property(anyBytes, cuts, (bytes, places) => {
        for (const { text } of read(cutAt(bytes, places)))
          expect(text).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/);
      }),
      { numRuns: 500 },
    );
  });

  test('can begin after any newline', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (before, after) => {
        const start = Buffer.concat([before, Buffer.from('\n')]);
        const whole = read([start, after]);
        const withoutIndex = (lines: readonly Line[]): unknown[] =>
          lines.map(({ index: _, ...line }) => line);
        expect(withoutIndex(whole.slice(whole.length - read([after]).length))).toEqual(
          withoutIndex(read([after])),
        );
      }),
    );
  });

  test('decodes bytes without control characters exactly as TextDecoder does, line by line', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0x20, max: 0x7e }),
      fc.integer({ min: 0x80, max: 0xff }),
      fc.constant(10),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), cuts, (values, places) => {
        const bytes = Buffer.from(values);
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        const expected = decoder
          .decode(bytes)
          .split('\n')
          .map((line) => line.replace(/[\x80-\x9f]/g, ''));
        // An eight-bit CSI with parameters is a sequence, and no text.
        fc.pre(!/\x9b/.test(decoder.decode(bytes)));
        if (bytes.length === 0 || bytes.at(-1) === 10) expected.pop();
        expect(read(cutAt(bytes, places)).map(({ text }) => text)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('overwrites as a terminal does, on any mix of text, returns and backspaces', () => {
    const action = fc.constantFrom('a', 'bc', 'déf', '🙂', '\r', '\b');
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), cuts, (actions, places) => {
        const cells: string[] = [];
        let cursor = 0;
        for (const character of actions.join('')) {
          if (character === '\r') cursor = 0;
          else if (character === '\b') cursor = Math.max(0, cursor - 1);
          else cells[cursor++] = character;
        }
        const bytes = Buffer.from(`${actions.join('')}\n`);
        expect(read(cutAt(bytes, places)).map(({ text }) => text)).toEqual([cells.join('')]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a line looks like', () => {
  test.each([
    ['colour', '\x1b[1;31mred\x1b[0m', 'red'],
    ['colour with colons', '\x1b[38:2::255:0:0mred\x1b[m', 'red'],
    ['private modes', '\x1b[?2004h$ \x1b[?25lx\x1b[>7u', '$ x'],
    ['a title', '\x1b]0;title\x07text', 'text'],
    ['a title ended by ST', '\x1b]0;title\x1b\\text', 'text'],
    ['a title as screen sets it', '\x1bktitle\x1b\\text', 'text'],
    ['a link', '\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['a prompt mark', '\x1b]133;A\x07$ ls\x1b]133;B\x07', '$ ls'],
    ['an image', 'a\x1b_Gf=100;AAAA\x1b\\b\x1bPq#0;2;0\x1b\\c', 'abc'],
    ['a privacy message and a start of string', '\x1b^x\x1b\\a\x1bXy\x1b\\b', 'ab'],
    ['a passthrough of tmux', '\x1bPtmux;\x1b\x1b]0;t\x07\x1b\\text', 'text'],
    ['a charset', '\x1b(Btext\x1b)0', 'text'],
    ['single-character escapes', '\x1b7a\x1b8\x1bMb\x1bc\x1b=', 'ab'],
    ['a lone ST', 'a\x1b\\b', 'ab'],
    ['a sequence broken off', 'a\x1b[31\x18b\x1b]0;x\x1ac', 'abc'],
    ['a sequence cut short by another', 'a\x1b[3\x1b[31mb', 'ab'],
    ['text of another script within a sequence', 'a\x1b[3é', 'aé'],
    ['an eight-bit sequence', 'a\u009b31mb', 'ab'],
    [
      'text that was encoded twice',
      'it\u00e2\u0080\u0099s \u00e2\u0080\u009dfine\u00e2\u0080\u009d',
      'itâs âfineâ',
    ],
    ['an unfinished title', 'a\x1b]0;never ends', 'a'],
    ['controls', 'a\0b\x07c\x0bd\x0ce\x7ff', 'abcdef'],
    ['tabs', 'a\tb', 'a\tb'],
    ['line separators of other worlds', 'a\u2028b\u0085c', 'a\u2028bc'],
    ['a progress bar', '10%\r50%\r100%', '100%'],
    ['a shorter overwrite', 'downloading\rdone', 'doneloading'],
    ['a shorter overwrite that erases', 'downloading\r\x1b[Kdone', 'done'],
    ['a line erased from its end', 'downloading\x1b[2K\rdone', 'done'],
    ['a line cleared for good', 'spinner\r\x1b[K', ''],
    ['a column move', 'downloading\x1b[0G\x1b[0Kdone\x1b[1Gg', 'gone'],
    ['moves to the right and left', 'a\x1b[3Cb\x1b[2Dc', 'a  cb'],
    ['a return that rewrites nothing', 'text\r', 'text'],
    ['many returns', 'text\r\r\r', 'text'],
    ['a return before colour', 'text\r\x1b[0m', 'text'],
    ['backspaces', 'abc\b\bX', 'aXc'],
    ['bold and underline of a manual page', 'N\bNA\bA_\bx', 'NAx'],
    ['a backspace too many', '\b\bab', 'ab'],
  ])('%s', (_, raw, expected) => {
    expect(shown(`${raw}\n`)).toEqual([expected]);
    expect(shown(`${raw}\r\n`)).toEqual([expected]);
    expect(shown(raw)).toEqual([expected]);
    expect(shown(...raw.split(''))).toEqual([expected]);
  });

  test('a newline ends every unfinished sequence and character', () => {
    expect(shown('a\x1b]0;t\nb\x1b[3\nc\x1bPq\nd\x1b\ne')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(shown(Buffer.from([0x61, 0xe2, 0x82, 10, 0xac]))).toEqual(['a\ufffd', '\ufffd']);
  });

  test('a raw byte 9B is a bad character, and swallows nothing', () => {
    expect(shown(Buffer.from([0x61, 0x9b, 0x33, 0x31, 0x6d]))).toEqual(['a\ufffd31m']);
  });

  test('a newline of two bytes is one newline, even when it is parted', () => {
    expect(shown('a\r', '\nb\r\n', '\r\n')).toEqual(['a', 'b', '']);
  });

  test('a character that comes byte by byte is whole', () => {
    expect(shown(...[...Buffer.from('é€🙂')].map((byte) => Buffer.from([byte])))).toEqual(['é€🙂']);
  });
});

describe('a line too long to be held', () => {
  test('keeps both ends and says how much is missing between them', () => {
    const [line] = read(['a'.repeat(50), 'é'.repeat(50), 'z'.repeat(50), '\n'], 20);
    expect(line).toEqual({
      text: 'a'.repeat(20) + 'z'.repeat(20),
      gap: { at: 20, characters: 110, bytes: 160 },
      rawBytes: 201,
      ended: true,
      index: 0,
    });
  });

  test('is never cut inside a character, and every character is held or counted', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '🙂'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, hold) => {
        const [line] = read([whole, '\n'], hold);
        const at = line?.gap?.at ?? line?.text.length ?? 0;
        expect(whole.startsWith(line?.text.slice(0, at) ?? '?')).toBe(true);
        expect(whole.endsWith(line?.text.slice(at) ?? '?')).toBe(true);
        expect([...(line?.text ?? '')].length + (line?.gap?.characters ?? 0)).toBe([...whole].length);
        expect(Buffer.byteLength(line?.text ?? '') + (line?.gap?.bytes ?? 0)).toBe(Buffer.byteLength(whole));
      }),
    );
  });

  test('that is drawn again keeps its start', () => {
    const [line] = read([`${'x'.repeat(100)}\rnew\n`], 10);
    expect(line?.text).toBe(`new${'x'.repeat(7)}`);
    expect(line?.gap).toEqual({ at: 10, characters: 90, bytes: 90 });
  });

  test('cannot be made wide by moving the cursor', () => {
    const [line] = read(['a\x1b[999999Cb\n']);
    expect(line?.text).toBe(`a${' '.repeat(511)}b`);
  });
});
