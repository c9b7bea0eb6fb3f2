import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createSecretMask,
  NO_SECRET_MASK,
  type SecretMask,
} from '../../../../../src/engine/output/secret-mask.ts';
import {
  MaskedLinePattern,
  type OutputMatch,
  OutputPatternSearch,
} from '../../../../../src/engine/watch/output-pattern-search.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

interface Bench {
  readonly print: (text: string | Buffer) => void;
  readonly scan: (
    pattern: string | RegExp,
    more?: { from?: number; mask?: SecretMask },
  ) => OutputPatternSearch;
  readonly directory: string;
}

function bench(text: string | Buffer = ''): Bench {
  const directory = temporaryDirectory();
  const print = (more: string | Buffer): void => appendFileSync(join(directory, 'out'), more);
  print(text);
  return {
    directory,
    print,
    scan: (pattern, { from = 0, mask = NO_SECRET_MASK } = {}) =>
      new OutputPatternSearch({
        location: { directory, stream: 'out' },
        pattern: new MaskedLinePattern(pattern, mask),
        from,
      }),
  };
}

async function find(text: string | Buffer, pattern: string | RegExp, from = 0): Promise<OutputMatch | null> {
  return bench(text).scan(pattern, { from }).searchNew();
}

test('a matching line is reported with its byte range and number', async () => {
  expect(await find('one\ntwo é\nthree\n', 'tw')).toEqual({ from: 4, to: 11, line: 'two é', lineNumber: 2 });
  expect(await find('one\ntwo\n', 'four')).toBeNull();
  expect(await find('', '')).toBeNull();
});

test('a last line without a newline counts, and its end is where the output ends', async () => {
  expect(await find('one\nPassword: ', /word: $/)).toEqual({
    from: 4,
    to: 14,
    line: 'Password: ',
    lineNumber: 2,
  });
});

test('a pattern is tried on each line by itself, and keeps no memory of the last one', async () => {
  expect(await find('a\nb\n', /a\sb/)).toBeNull();
  expect(await find('xa\na\n', /^a$/)).toMatchObject({ from: 3 });
  const { scan } = bench('a match\n');
  const sticky = /match/gy;
  sticky.lastIndex = 3;
  expect(await scan(sticky).searchNew()).toMatchObject({ from: 0 });
});

test('colours and other sequences are not in the way, not even when they are cut', async () => {
  const { print, scan } = bench('Local: \x1b[36mhttp://localhost:\x1b[1');
  const search = scan('localhost:5173/');
  expect(await search.searchNew()).toBeNull();
  print('m5173\x1b[22m/');
  expect(await search.searchNew()).toMatchObject({ from: 0, line: 'Local: http://localhost:5173/' });
});

test('each state of a line that was redrawn is found, and returns are no lines', async () => {
  const text = 'first\r\n 10%\r 50%\r100%\nlast\n';
  expect(await find(text, '50%')).toEqual({ from: 12, to: 17, line: ' 50%', lineNumber: 2 });
  expect(await find(text, /^first$/)).toMatchObject({ from: 0, lineNumber: 1 });
  expect(await find(text, 'last')).toMatchObject({ lineNumber: 3 });
});

test('a search may begin at any byte, and then the line number is unknown', async () => {
  expect(await find('ready\nready\n', 'ready', 3)).toEqual({
    from: 6,
    to: 12,
    line: 'ready',
    lineNumber: null,
  });
  expect(await find('ready\n', 'ready', 6)).toBeNull();
  expect(await find('ready\n', 'ready', 1000)).toBeNull();
  expect(await find('é ready', 'ready', 1)).toMatchObject({ from: 1, to: 8 });
});

test('what comes later is found later, from where the last look stopped', async () => {
  const { print, scan } = bench('nothing yet\nrea');
  const search = scan('ready');
  expect(await search.searchNew()).toBeNull();
  expect(await search.searchNew()).toBeNull();
  print('dy');
  expect(await search.searchNew()).toEqual({ from: 12, to: 17, line: 'ready', lineNumber: 2 });
});

test('a search beyond the end waits for the output to come there', async () => {
  const { print, scan } = bench('ready\n');
  const search = scan('ready', { from: 8 });
  expect(await search.searchNew()).toBeNull();
  print('..ready\n');
  expect(await search.searchNew()).toMatchObject({ from: 8, to: 14 });
});

test('output that is not there yet, or not there any more, holds nothing', async () => {
  const { directory, print, scan } = bench('one\n');
  const search = scan('two');
  expect(await search.searchNew()).toBeNull();
  rmSync(join(directory, 'out'));
  expect(await search.searchNew()).toBeNull();
  print('two two two\n');
  // Bytes that were already searched are not searched again, even if they change.
  expect(await search.searchNew()).toMatchObject({ from: 4 });
});

test('lines are whole across the reads of a large file, characters too', async () => {
  // 256 KiB are read at a time: the pattern spans the boundary of two reads.
  const lines = 'short é\n'.repeat(20_000);
  for (let before = 0; before <= 10; before += 1) {
    const filler = 'z'.repeat(256 * 1024 - Buffer.byteLength(lines) - before);
    const text = `${lines}${filler}needle é${'y'.repeat(100)}\n`;
    expect(await find(text, 'needle é'), `${before} bytes`).toMatchObject({ lineNumber: 20_001 });
  }
});

test('a line without an end is searched in windows: nothing is missed, and little is kept', async () => {
  const { print, scan } = bench();
  const search = scan(/needle\d/);
  for (let part = 0; part < 40; part += 1) {
    print('x'.repeat(9973));
    expect(await search.searchNew()).toBeNull();
  }
  print('nee');
  expect(await search.searchNew()).toBeNull();
  print('dle7');
  const found = await search.searchNew();
  expect(found?.line.endsWith('needle7')).toBe(true);
  expect(found).toMatchObject({ to: 40 * 9973 + 7, lineNumber: 1 });
  expect(found?.line.length).toBeLessThan(1000);
});

test('a window border does not hide what lies across it', async () => {
  for (const before of [65_530, 65_536, 65_540, 98_300, 131_070, 262_140, 262_144, 300_000, 327_680]) {
    const text = `${'x'.repeat(before)}needle${'y'.repeat(70_000)}`;
    expect(await find(text, 'needle'), `after ${before} bytes`).not.toBeNull();
  }
});

test('what was dropped is passed over, and lines are not counted any more', async () => {
  const { directory, scan } = bench('one\ntwo');
  writeFileSync(join(directory, 'out.1000'), 'three\nfour\n');
  expect(await scan('two').searchNew()).toMatchObject({ from: 4 });
  // The two parts are not adjacent, so they are not one line.
  expect(await scan('twothree').searchNew()).toBeNull();
  expect(await scan('four').searchNew()).toEqual({ from: 1006, to: 1011, line: 'four', lineNumber: null });
});

test('pieces that touch are one', async () => {
  const { directory, scan } = bench('one\ntw');
  writeFileSync(join(directory, 'out.6'), 'o\nthree\n');
  expect(await scan('two').searchNew()).toEqual({ from: 4, to: 8, line: 'two', lineNumber: 2 });
});

test('the other stream is another file', async () => {
  const { directory } = bench('out\n');
  writeFileSync(join(directory, 'err'), 'err\n');
  const place = { directory, stream: 'err' } as const;
  const scan = (text: string): OutputPatternSearch =>
    new OutputPatternSearch({
      location: place,
      pattern: new MaskedLinePattern(text, NO_SECRET_MASK),
      from: 0,
    });
  expect(await scan('out').searchNew()).toBeNull();
  expect(await scan('err').searchNew()).not.toBeNull();
});

test('secrets can be neither found nor reported', async () => {
  const mask = createSecretMask(['hunter2secret']);
  const { scan } = bench('key hunter2secret ready\nopen hunter2se');
  expect(await scan('hunter', { mask }).searchNew()).toBeNull();
  expect(await scan('ready', { mask }).searchNew()).toMatchObject({ line: 'key [redacted] ready' });
  expect(await scan('open', { mask }).searchNew()).toMatchObject({ line: 'open [redacted]' });
});

test('an abort ends a search between two reads', async () => {
  const abort = new AbortController();
  abort.abort();
  const { scan } = bench(Buffer.alloc(1024 * 1024, 'x\n'));
  const search = scan('needle');
  expect(await search.searchNew(abort.signal)).toBeNull();
});

test('however the output grows, the same place is found as in one go', async () => {
  const piece = fc.constantFrom('a', 'b', 'ab', 'é', '\n', '\r', '\r\n', '\x1b[31m', '😀', 'x'.repeat(100));
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      async (parts, cuts) => {
        const whole = Buffer.from(parts.join(''));
        const once = await find(whole, 'ab');
        const { print, scan } = bench();
        const search = scan('ab');
        let found: OutputMatch | null = null;
        const edges = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        for (let index = 1; index < edges.length && found === null; index += 1) {
          print(whole.subarray(edges[index - 1], edges[index]));
          found = await search.searchNew();
        }
        expect(found?.from).toBe(once?.from);
        expect(found?.lineNumber).toBe(once?.lineNumber);
      },
    ),
    { numRuns: 60 },
  );
});
