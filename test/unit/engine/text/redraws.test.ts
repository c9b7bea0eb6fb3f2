import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, LineReader } from '../../../../src/engine/text/line-reader.ts';

function read(text: string, step = 0): Line[] {
  const lines: Line[] = [];
  const reader = new LineReader({ edgeCharacters: 1000, onLine: (line) => lines.push(line), redraws: true });
  const bytes = Buffer.from(text);
  const size = step === 0 ? Math.max(1, bytes.length) : step;
  for (let from = 0; from < bytes.length; from += size) reader.write(bytes.subarray(from, from + size));
  reader.end();
  return lines;
}

const shown = (text: string): string[] => read(text).map((line) => line.text);
const up = (rows: number): string => `\x1b[${rows}A`;
const ERASE = '\x1b[2K';

describe('lines that are drawn again', () => {
  test('as a whole block, as most progress displays do it', () => {
    const frame = (percent: number): string => `alpha ${percent} %\nbeta ${percent} %\n`;
    const text = `start\n${frame(0)}${[10, 50, 100].map((percent) => up(2) + frame(percent)).join('')}done\n`;
    expect(shown(text)).toEqual(['start', 'alpha 100 %', 'beta 100 %', 'done']);
  });

  test('erased from the bottom up, and written anew with fewer lines', () => {
    const text = `a\nb\nc\n${`${ERASE}\x1b[1A`.repeat(3)}${ERASE}\x1b[Gonly\n`;
    expect(shown(text)).toEqual(['only']);
  });

  test('one of several layers, the cursor going back down', () => {
    const layer = (rows: number, line: string): string => `${up(rows)}${ERASE}\r${line}\x1b[${rows}B\r`;
    const text = `Pulling\nabc: Waiting\ndef: Waiting\n${layer(2, 'abc: Downloading')}${layer(1, 'def: Pull complete')}${layer(2, 'abc: Pull complete')}Digest: x\n`;
    expect(shown(text)).toEqual(['Pulling', 'abc: Pull complete', 'def: Pull complete', 'Digest: x']);
  });

  test('with everything below erased at once', () => {
    expect(shown(`x\ny\nz\n${up(3)}\x1b[Jone\ntwo\n`)).toEqual(['one', 'two']);
  });

  test('with the cursor sent to the start of a line above', () => {
    expect(shown('x\ny\n\x1b[2Fnew\n')).toEqual(['new', 'y']);
  });

  test('a spinner that leaves its last state without a newline', () => {
    expect(shown('work\n- a\n\x1b[1A\x1b[2K\\ a\n\x1b[1A\x1b[2K✔ a')).toEqual(['work', '✔ a']);
  });

  test('only as far up as is remembered', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join('');
    const result = shown(`${lines}${up(99)}X\n`);
    expect(result).toHaveLength(100);
    expect(result.filter((text) => text.startsWith('X'))).toHaveLength(1);
    expect(result.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, index) => `line ${index}`));
  });

  test('every line of the raw output is counted once, and numbers only grow', () => {
    const piece = fc.constantFrom(
      'a',
      'bc',
      '\n',
      '\n',
      '\r',
      up(1),
      up(3),
      '\x1b[1B',
      '\x1b[J',
      ERASE,
      '\x1b[2F',
      '\x1b[E',
      '\x1b[K',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), fc.integer({ min: 1, max: 9 }), (pieces, step) => {
        const text = pieces.join('');
        const lines = read(text);
        const raw = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
        expect(lines.reduce((sum, { redrawn: drawn }) => sum + (drawn?.lines ?? 1), 0)).toBe(raw);
        expect(lines.reduce((sum, { rawBytes }) => sum + rawBytes, 0)).toBe(Buffer.byteLength(text));
        const indexes = lines.map(({ index }) => index);
        expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
        expect(read(text, step)).toEqual(lines);
      }),
      { numRuns: 2000 },
    );
  });

  test('nothing changes for output whose cursor never goes up', () => {
    const piece = fc.constantFrom('a', 'é', '\n', '\r', '\x1b[31m', '\x1b[K', ' ', '\b');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const plain: Line[] = [];
        const reader = new LineReader({ edgeCharacters: 1000, onLine: (line) => plain.push(line) });
        reader.write(Buffer.from(pieces.join('')));
        reader.end();
        expect(read(pieces.join(''))).toEqual(plain);
      }),
    );
  });
});
