import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { OutputView } from '../../../../../src/engine/output/output-view.ts';
import { OutputWindow } from '../../../../../src/engine/output/output-window.ts';
import { rawOutputFromWindow } from '../../../../../src/engine/output/raw/raw-output.ts';
import { createSecretMask } from '../../../../../src/engine/output/secret-mask.ts';
import { type AgentViewOptions, toAgentView } from '../../../../../src/engine/output/views/agent-view.ts';

const directory = mkdtempSync(join(tmpdir(), 'nacre-view-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ARTIFACT = 'artifact://r-0123456789';
const KIB = 1024;

interface Setting extends Partial<AgentViewOptions> {
  /** How much of each end stays in memory. */
  readonly windowBytes?: number;
  readonly kept?: boolean;
}

async function view(output: string | Buffer, setting: Setting = {}): Promise<OutputView> {
  const { windowBytes = 1024 * KIB, kept = false, ...options } = setting;
  const bytes = Buffer.from(output);
  const window = new OutputWindow({ headBytes: windowBytes, tailBytes: windowBytes });
  window.write(bytes);
  if (kept) writeFileSync(join(directory, 'out'), bytes);
  const source = rawOutputFromWindow(window.read(), kept ? { directory, stream: 'out' } : null);
  return toAgentView(source, { artifact: ARTIFACT, ...options });
}

const numbered = (count: number, width = 60): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1} ${'x'.repeat(width)}\n`).join('');

describe('output that fits', () => {
  test.each(['', 'hello\n', 'no newline', '\n\n\n', 'a\r\nb\r\n'])(
    'is shown whole, with no footer: %j',
    async (output) => {
      const shown = await view(output);
      expect(shown.text).toBe(output.replaceAll('\r', ''));
      expect(shown).toMatchObject({ omitted: null, truncation: null, binary: false });
    },
  );

  test('is shown whole up to the last byte of the budget', async () => {
    const line = `${'x'.repeat(1023)}\n`;
    expect((await view(line.repeat(50))).omitted).toBeNull();
    expect((await view(`${line.repeat(50)}x`)).omitted).not.toBeNull();
  });

  test('counts lines and bytes of the raw output', async () => {
    const shown = await view('\x1b[31ma\x1b[0m\nb');
    expect(shown).toMatchObject({ text: 'a\nb', totalBytes: 12, totalLines: 2, shown: [{ from: 1, to: 2 }] });
  });

  test('may be larger before it is shown: redrawn lines count once', async () => {
    const progress = Array.from({ length: 20_000 }, (_, index) => `\rloading ${index}`).join('');
    const shown = await view(`${progress}\ndone\n`, { windowBytes: 4 * KIB, kept: true });
    expect(shown.text).toBe('loading 19999\ndone\n');
    expect(shown.omitted).toBeNull();
  });

  test('shows a line of ten thousand characters whole', async () => {
    const line = 'x'.repeat(10_000);
    expect((await view(`${line}\n`)).text).toBe(`${line}\n`);
  });
});

describe('output that does not fit', () => {
  test('is cut once, with exact ranges and counts and one artifact', async () => {
    const shown = await view(numbered(5000));
    const [, notice = ''] = shown.text.match(/^(\[Showing .*\])$/m) ?? [];
    expect(notice).toBe(
      '[Showing lines 1-111 and 4388-5000 of 5000. Not shown: 4,276 lines, 302,708 bytes. Full output: artifact://r-0123456789]',
    );
    expect(shown.text.split(ARTIFACT)).toHaveLength(2);
    expect(shown.truncation).toEqual({
      direction: 'middle',
      truncatedBy: 'bytes',
      totalLines: 5000,
      totalBytes: Buffer.byteLength(numbered(5000)),
      outputLines: 724,
      outputBytes: expect.any(Number),
      headRange: { from: 1, to: 111 },
      tailRange: { from: 4388, to: 5000 },
      artifactId: 'r-0123456789',
    });
  });

  test('brings the lines from its middle that tell why it failed, with their numbers', async () => {
    const lines = numbered(5000).split('\n');
    lines[2000] = 'src/app.ts(3,7): error TS2322: bad';
    lines[3000] = ' FAIL  test/app.test.ts > adds';
    const shown = await view(lines.join('\n'));
    expect(shown.text).toContain(
      '\n2001: src/app.ts(3,7): error TS2322: bad\n3001:  FAIL  test/app.test.ts > adds\n',
    );
    expect(shown.text).toMatch(/, and 2 numbered lines between them\./);
    expect(shown.shown).toHaveLength(4);
  });

  test('shows no line twice, also where the tail reaches up to a failure', async () => {
    for (let at = 4375; at < 4405; at += 1) {
      const lines = numbered(5000).split('\n');
      lines[at - 1] = 'fatal: this one';
      const shown = await view(lines.join('\n'));
      expect(shown.text.split('fatal: this one')).toHaveLength(2);
      expect(shown.shown.reduce((sum, { from, to }) => sum + to - from + 1, shown.omitted?.lines ?? 0)).toBe(
        5000,
      );
    }
  });

  test('finds them on disk when they are no longer in memory', async () => {
    const lines = numbered(20_000).split('\n');
    lines[10_000] = 'panic: boom';
    const shown = await view(lines.join('\n'), { windowBytes: 20 * KIB, kept: true });
    expect(shown.text).toContain('\n10001: panic: boom\n');
    expect(shown.text).not.toContain(' for failures.');
  });

  test('is passed over in its middle when it is long, and every number is exact all the same', async () => {
    const lines = numbered(100_000).split('\n');
    lines[50_000] = "thread 'main' panicked at src/main.rs:4:5:";
    lines[50_001] = 'index out of bounds';
    const shown = await view(lines.join('\n'), { windowBytes: 20 * KIB, kept: true });
    expect(shown.text).toContain(
      "\n50001: thread 'main' panicked at src/main.rs:4:5:\n50002: index out of bounds\n",
    );
    const [tail] = shown.shown.slice(-1);
    expect(shown.text).toContain(`\n${lines[(tail?.from ?? 0) - 1]}\n`);
    expect(tail?.to).toBe(100_000);
    const late = await view(lines.join('\n'), { windowBytes: 20 * KIB, kept: true, limits: { scanMs: -1 } });
    expect(late.text).toContain('Searched 1.0 MB of ');
    expect(late.shown.at(-1)?.to).toBe(100_000);
  });

  test('says how much was searched for failures', async () => {
    const limits = { scanBytes: 100 * KIB };
    const shown = await view(numbered(20_000), { kept: true, windowBytes: 20 * KIB, limits });
    expect(shown.text).toContain('Searched 100.0 KB of 1.4 MB for failures.');
  });

  test('says that the full output was not kept, and names no artifact', async () => {
    const shown = await view(numbered(5000), { artifact: null });
    expect(shown.text).toContain('The full output was not kept.]');
    expect(shown.text).not.toContain('artifact://');
    expect(shown.truncation).not.toHaveProperty('artifactId');
  });
});

describe('long lines', () => {
  test('are cut in their middle, and only that is said', async () => {
    const shown = await view(`before\n${'x'.repeat(30_000)}\nafter\n`);
    const [, line = ''] = shown.text.split('\n');
    expect(line).toHaveLength(10_000 - 36 + '[… 20,036 characters …]'.length);
    expect(line).toMatch(/^x+\[… 20,036 characters …\]x+$/);
    expect(shown.text).toMatch(
      /after\n\n\[1 long line cut to at most 10000 characters, 20,036 bytes not shown\. Full output: artifact:\S+\]$/,
    );
    expect(shown.truncation).toMatchObject({
      truncatedBy: 'columns',
      shownRange: { from: 1, to: 3 },
      outputLines: 3,
    });
    expect(shown.omitted).toEqual({ lines: 0, bytes: 20_036 });
  });

  test('take less room where not everything fits', async () => {
    const shown = await view(`${'x'.repeat(9000)}\n`.repeat(20));
    expect(shown.truncation).toMatchObject({ truncatedBy: 'columns', shownRange: { from: 1, to: 20 } });
  });

  test('do not take the tail from others: of a huge last line both ends are shown', async () => {
    const shown = await view(`${numbered(1000)}${'y'.repeat(300 * KIB)}\n}\n}\n`);
    expect(shown.text).toMatch(/line 1000 x+\ny+\[… [\d,]+ characters …\]y+\n}\n}\n$/);
  });

  test('are shown at both ends even when their middle was never kept', async () => {
    const shown = await view(`${'a'.repeat(50_000)}${'b'.repeat(50_000)}`, {
      windowBytes: 2 * KIB,
      artifact: null,
    });
    expect(shown.text).toMatch(/^a+\[… [\d,]+ bytes …\]b+\n/);
    expect(shown.totalLines).toBe(1);
    expect(shown.truncation?.truncatedBy).toBe('columns');
  });

  test('that begin or end in a missing part are shown as far as they are stored', async () => {
    const shown = await view(`a\n${'x'.repeat(9000)}\nmiddle\n${'y'.repeat(9000)}\nz\n`, {
      windowBytes: 2 * KIB,
      artifact: null,
    });
    expect(shown.text).toMatch(
      /^a\nx+\[… part of this line …\]\n\n\[Showing lines 1-2 and 4-5 of 5\. .*\]\n\n\[… part of this line …\]y+\nz\n$/,
    );
  });
});

describe('lines asked for', () => {
  const output = numbered(5000, 2);

  test.each([
    [{ headLines: 3 }, [1, 3], 'head'],
    [{ tailLines: 3 }, [4998, 5000], 'tail'],
    [{ headLines: 100, tailLines: 3 }, [98, 100], 'middle'],
  ] as const)('%j are shown without a notice when they fit', async (limits, [from, to], direction) => {
    for (const setting of [{}, { windowBytes: KIB, kept: true }]) {
      const shown = await view(output, { ...limits, ...setting });
      expect(shown.text).toBe(
        output
          .split('\n')
          .slice(from - 1, to)
          .map((line) => `${line}\n`)
          .join(''),
      );
      expect(shown.shown).toEqual([{ from, to }]);
      expect(shown.truncation).toMatchObject({
        direction,
        truncatedBy: 'lines',
        shownRange: { from, to },
        outputLines: 3,
      });
    }
  });

  test('more than there are change nothing', async () => {
    expect(await view('a\nb', { headLines: 10, tailLines: 5 })).toMatchObject({
      text: 'a\nb',
      omitted: null,
      truncation: null,
    });
  });

  test('none is nothing', async () => {
    expect((await view('a\nb\n', { headLines: 0 })).text).toBe('');
    expect((await view('a\nb\n', { tailLines: 0 })).text).toBe('');
  });

  test('that do not fit are cut, and the notice counts within them', async () => {
    const shown = await view(numbered(5000), { tailLines: 2000, limits: { budgetBytes: 4 * KIB } });
    expect(shown.text).toMatch(
      /\[Showing lines 3001-\d+ and \d+-5000 of the requested lines 3001-5000\. Not shown: 1,9\d\d lines/,
    );
    expect(shown.truncation?.truncatedBy).toBe('bytes');
  });

  test('that are gone are said to be', async () => {
    const shown = await view(output, { headLines: 2000, windowBytes: KIB, artifact: null });
    expect(shown.text.startsWith('line 1 xx\n')).toBe(true);
    expect(shown.text).not.toContain('line 5000');
    expect(shown.text).toContain(
      '[Showing lines 1-94 of the requested lines 1-2000. Not shown: 1,906 lines. Some of the requested lines are missing.',
    );
  });
});

describe('secrets', () => {
  const secret = 'hunter2-hunter2-hunter2';

  test('are never shown, wherever a cut falls', async () => {
    const setting = fc.record({
      pad: fc.nat(300),
      budget: fc.integer({ min: 300, max: 900 }),
      windowBytes: fc.integer({ min: 60, max: 400 }),
      kept: fc.boolean(),
      newlines: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(setting, async ({ pad, budget, windowBytes, kept, newlines }) => {
        const piece = `${secret}${newlines ? '\n' : ' '}${'.'.repeat(pad % 50)}`;
        const output = `${'x'.repeat(pad)}${piece.repeat(60)}`;
        const limits = { budgetBytes: budget, wideColumns: 200, narrowColumns: 90, scanBytes: 500 };
        const { text } = await view(output, { limits, windowBytes, kept, mask: createSecretMask([secret]) });
        for (let length = 8; length <= secret.length; length += 1)
          expect(text).not.toContain(secret.slice(0, length));
        expect(text).not.toContain('r2-hunter2');
      }),
      { numRuns: 200 },
    );
  });
});

test('binary output is described and not shown', async () => {
  const bytes = Buffer.concat([Buffer.from('7f454c460201010000', 'hex'), Buffer.alloc(5000)]);
  expect(await view(bytes)).toMatchObject({
    text: '[binary output: 4.9 KB, begins 7f 45 4c 46 02 01 01 00 (ELF); read it with artifact://r-0123456789]',
    binary: true,
    shown: [],
  });
});
