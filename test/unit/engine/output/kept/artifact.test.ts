import { appendFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Artifact, type ArtifactOptions } from '../../../../../src/engine/output/raw/artifact.ts';
import { rawOutputFromFiles } from '../../../../../src/engine/output/raw/raw-output.ts';
import { createSecretMask } from '../../../../../src/engine/output/secret-mask.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nacre-artifact-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Parts of an output by their offsets; what is between them is gone. */
function write(
  output: string | Buffer,
  parts: readonly (readonly [number, number])[] = [[0, Number.MAX_SAFE_INTEGER]],
): void {
  const bytes = Buffer.from(output);
  for (const [from, to] of parts)
    writeFileSync(join(directory, from === 0 ? 'out' : `out.${from}`), bytes.subarray(from, to));
}

const open = (options: Partial<ArtifactOptions> & { newlines?: number | null } = {}): Artifact =>
  new Artifact({
    source: rawOutputFromFiles({ directory, stream: 'out' }, options.newlines ?? null),
    name: 'artifact://r1',
    ...options,
  });

const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory);
    } catch {
      return false;
    }
  }).length;

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('an artifact', () => {
  test('gives lines by number', async () => {
    write(numbered(100));
    expect(await open().lines({ from: 3, to: 5 })).toEqual({
      text: 'line 3\nline 4\nline 5\n',
      lines: [{ from: 3, to: 5 }],
      notes: [],
      binary: false,
    });
  });

  test('gives its head and its tail', async () => {
    write(`${numbered(100)}unfinished`);
    expect((await open().head(2)).text).toBe('line 1\nline 2\n');
    expect(await open().tail(2)).toMatchObject({
      text: 'line 100\nunfinished',
      lines: [{ from: 100, to: 101 }],
      notes: [],
    });
    expect((await open().tail(1000)).lines).toEqual([{ from: 1, to: 101 }]);
  });

  test('gives the same as the whole output cut into lines', async () => {
    const output = fc
      .array(fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\n', '🙂'), maxLength: 30 }), {
        maxLength: 30,
      })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(output, fc.integer({ min: 1, max: 40 }), fc.nat(40), async (text, from, count) => {
        write(text);
        const all = text.split(/(?<=\n)/).filter((line) => line !== '');
        expect((await open().lines({ from, to: from + count })).text).toBe(
          all.slice(from - 1, from + count).join(''),
        );
        expect((await open().tail(count)).text).toBe(count === 0 ? '' : all.slice(-count).join(''));
      }),
      { numRuns: 100 },
    );
  });

  test('is cleaned and masked as a view is', async () => {
    write('\x1b[31mred\x1b[0m\n10%\r20%\ntoken hunter2\n');
    expect((await open({ mask: createSecretMask(['hunter2']) }).head(9)).text).toBe(
      'red\n20%\ntoken [redacted]\n',
    );
  });

  test('returns at most its limit, and a note about how to continue', async () => {
    write(numbered(1000));
    const artifact = open({ maxBytes: 100 });
    const first = await artifact.head(1000);
    expect(first.lines).toEqual([{ from: 1, to: 13 }]);
    expect(first.notes).toEqual(['Limited to 100 bytes per read; continue from line 14.']);
    expect((await artifact.lines({ from: 14, to: 1000 })).text.startsWith('line 14\n')).toBe(true);
    const last = await artifact.tail(1000);
    expect(last.lines).toEqual([{ from: 990, to: 1000 }]);
    expect(last.notes).toEqual(['Limited to 100 bytes per read; lines up to 989 are omitted.']);
  });

  test('gives one line that is longer than the cap at both ends', async () => {
    write(`${'x'.repeat(5000)}\n`);
    const { text } = await open({ maxBytes: 200 }).head(1);
    expect(text).toMatch(/^x+\[… [\d,]+ characters …\]x+\n$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(200);
  });

  test('grows while it is read', async () => {
    write('a\n');
    const before = open();
    appendFileSync(join(directory, 'out'), 'b\n');
    expect((await before.head(9)).text).toBe('a\n');
    expect((await open().head(9)).text).toBe('a\nb\n');
  });

  test('says when lines are not available', async () => {
    write('a\n');
    expect(await open().lines({ from: 5, to: 9 })).toMatchObject({
      text: '',
      lines: [],
      notes: ['Lines 5 to 9 are not available.'],
    });
    rmSync(join(directory, 'out'));
    expect(await open().tail(3)).toMatchObject({ text: '', lines: [] });
  });

  test('of binary output is described, and gives bytes', async () => {
    write(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]));
    const artifact = open();
    expect(await artifact.head(1)).toMatchObject({
      binary: true,
      text: expect.stringContaining('(ELF); read it with artifact://r1]'),
    });
    expect(await artifact.search({ pattern: 'E' })).toMatchObject({ binary: true, found: [] });
    expect((await artifact.bytes({ from: 1, to: 4 })).bytes.toString()).toBe('ELF');
  });

  test('gives bytes and the text of bytes, cut between characters', async () => {
    write('aé🙂b');
    expect(await open().bytes({ from: 1, to: 3 })).toMatchObject({ from: 1, to: 3, bytes: Buffer.from('é') });
    expect((await open().text({ from: 2, to: 7 })).text).toBe('🙂');
    expect((await open().text({ from: 2, to: 6 })).text).toBe('');
    expect(await open().bytes({ from: 50, to: 60 })).toMatchObject({ bytes: Buffer.alloc(0) });
  });

  test('masks a secret of which only a part is asked for', async () => {
    write('x hunter2hunter2 y');
    const artifact = open({ mask: createSecretMask(['hunter2hunter2']) });
    for (let from = 2; from < 16; from += 1)
      expect((await artifact.text({ from, to: from + 1 })).text).toBe('[redacted]');
    expect((await artifact.text({ from: 0, to: 4 })).text).toBe('x [redacted]');
  });

  test('leaves no file open', async () => {
    write(numbered(100_000));
    await open().head(1);
    await open().search({ pattern: 'line 1', limit: 1 });
    await open({ maxBytes: 50 }).tail(10);
    expect(openFiles()).toBe(0);
  });
});

describe('an artifact with a gap', () => {
  const output = numbered(1000);
  const parts = [
    [0, 500],
    [8000, 8300],
    [8300, output.length],
  ] as const;
  const gap = /^Bytes 500 to 8,000 of the output \(7\.3 KB\) are missing/;

  test('has true line numbers after it when the lines were counted', async () => {
    write(output, parts);
    const artifact = open({ newlines: 1000 });
    expect(artifact.gaps).toEqual([{ from: 500, to: 8000 }]);
    expect((await artifact.tail(2)).lines).toEqual([{ from: 999, to: 1000 }]);
    expect(await artifact.lines({ from: 950, to: 951 })).toMatchObject({
      text: 'line 950\nline 951\n',
      notes: [expect.stringMatching(gap)],
    });
    expect((await artifact.lines({ from: 500, to: 501 })).notes.at(-1)).toBe(
      'Lines 500 to 501 are not available.',
    );
    expect((await artifact.search({ pattern: 'line 977' })).text).toBe('977:line 977\n');
  });

  test('reports inexact line numbers if the lines were not counted', async () => {
    write(output, parts);
    const { text, notes } = await open().tail(1);
    expect(text).toBe('line 1000\n');
    expect(notes).toEqual([
      expect.stringMatching(gap),
      'Line numbers after a missing part count only stored lines.',
    ]);
  });

  test('marks the lines at its edges', async () => {
    write(output, parts);
    const { text } = await open({ newlines: 1000 }).lines({ from: 1, to: 1000 });
    expect(text).toMatch(/line 63\nline \[… part of this line …\]\n\[… part of this line …\]\nline 902\n/);
  });

  test('gives bytes up to it', async () => {
    write(output, parts);
    const { from, to, notes } = await open().bytes({ from: 400, to: 9000 });
    expect([from, to]).toEqual([400, 500]);
    expect(notes.at(-1)).toBe('The stored part ends at byte 500.');
    expect(await open().bytes({ from: 600, to: 8010 })).toMatchObject({ from: 8000, to: 8010 });
  });
});

describe('a search', () => {
  test('finds a text or a pattern, with line numbers', async () => {
    write(numbered(30));
    expect((await open().search({ pattern: 'line 2' })).found.map(({ number }) => number)).toEqual([
      2,
      ...Array.from({ length: 10 }, (_, index) => 20 + index),
    ]);
    expect((await open().search({ pattern: /^LINE 1\d$/gi })).found).toHaveLength(10);
    expect(await open().search({ pattern: 'nowhere' })).toMatchObject({
      text: '',
      found: [],
      complete: true,
      notes: [],
    });
  });

  test('shows lines around what it found, once', async () => {
    write(numbered(30));
    const { text } = await open().search({ pattern: /line (3|5|20)$/, context: 1 });
    expect(text).toBe(
      '2-line 2\n3:line 3\n4-line 4\n5:line 5\n6-line 6\n--\n19-line 19\n20:line 20\n21-line 21\n',
    );
  });

  test('ends at its limit, and says whether there is more', async () => {
    write(numbered(30));
    const cut = await open().search({ pattern: 'line', limit: 3 });
    expect(cut).toMatchObject({
      complete: false,
      lines: [{ from: 1, to: 3 }],
      notes: ['These are the first 3 matching lines; more follow after line 3.'],
    });
    expect(await open().search({ pattern: 'line', limit: 30 })).toMatchObject({ complete: true, notes: [] });
    const capped = await open({ maxBytes: 100 }).search({ pattern: 'line' });
    expect(capped).toMatchObject({
      complete: false,
      notes: [expect.stringContaining('Limited to 100 bytes per read; more matching lines')],
    });
  });

  test('shows the place in a long line', async () => {
    write(`${'x'.repeat(50_000)}needle${'y'.repeat(50_000)}\n`);
    const { text } = await open().search({ pattern: 'needle' });
    expect(text).toMatch(/^1:…x{200}needley+…\n$/);
    expect(text.length).toBeLessThan(700);
  });

  test('does not find a secret', async () => {
    write('token hunter2\n');
    expect((await open({ mask: createSecretMask(['hunter2']) }).search({ pattern: 'hunter' })).found).toEqual(
      [],
    );
  });

  test('of many megabytes does not take many megabytes', async () => {
    const chunk = Buffer.from('some words on a line that goes on for a while\n'.repeat(20_000));
    for (let count = 0; count < 64; count += 1) appendFileSync(join(directory, 'out'), chunk);
    const before = process.memoryUsage();
    const { complete } = await open().search({ pattern: 'not there' });
    const after = process.memoryUsage();
    expect(complete).toBe(true);
    expect(after.external + after.arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(
      16 * 1024 * 1024,
    );
  });
});
