import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { OutputView } from '../../../../../src/engine/output/output-view.ts';
import { OutputWindow } from '../../../../../src/engine/output/output-window.ts';
import { rawOutputFromWindow } from '../../../../../src/engine/output/raw/raw-output.ts';
import { toAgentView } from '../../../../../src/engine/output/views/agent-view.ts';

const directory = mkdtempSync(join(tmpdir(), 'nacre-view-'));
afterAll(() => rmSync(directory, { recursive: true }));

interface Setting {
  readonly budgetBytes: number;
  readonly windowBytes: number;
  readonly scanBytes: number;
  readonly kept: boolean;
  readonly headLines: number | null;
  readonly tailLines: number | null;
  readonly chunkBytes: number;
  readonly artifact: string;
}

const WIDE = 150;
const NARROW = 90;

async function view(output: Buffer, setting: Setting): Promise<OutputView> {
  const { budgetBytes, windowBytes, scanBytes, kept, headLines, tailLines, chunkBytes, artifact } = setting;
  const window = new OutputWindow({ headBytes: windowBytes, tailBytes: windowBytes });
  for (let from = 0; from < output.length; from += chunkBytes)
    window.write(output.subarray(from, from + chunkBytes));
  if (kept) writeFileSync(join(directory, 'out'), output);
  const source = rawOutputFromWindow(window.read(), kept ? { directory, stream: 'out' } : null);
  const limits = { budgetBytes, scanBytes, wideColumns: WIDE, narrowColumns: NARROW };
  return toAgentView(source, { artifact, headLines, tailLines, limits });
}

const setting: fc.Arbitrary<Setting> = fc.record({
  budgetBytes: fc.integer({ min: 200, max: 3000 }),
  windowBytes: fc.integer({ min: 0, max: 4000 }),
  scanBytes: fc.integer({ min: 0, max: 20_000 }),
  kept: fc.boolean(),
  headLines: fc.option(fc.nat(80), { freq: 4 }),
  tailLines: fc.option(fc.nat(80), { freq: 4 }),
  chunkBytes: fc.integer({ min: 1, max: 5000 }),
  artifact: fc.constantFrom('artifact://0123456789abcdef', `artifact://${'x'.repeat(150)}`),
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '€', '🙂'), maxLength: 60 });
const text = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 1, arbitrary: word.map((part) => `error: ${part}`) },
  { weight: 1, arbitrary: word.map((part) => `${part}${'wide '.repeat(70)}${part}`) },
  { weight: 1, arbitrary: fc.constantFrom('', 'panic: boom', 'x'.repeat(5000)) },
);
const output = fc
  .tuple(fc.array(text, { maxLength: 120 }), fc.constantFrom('', '\n'))
  .map(([lines, end]) => lines.join('\n') + (lines.length > 0 ? end : ''));

/** Whether a line as shown is the line as printed, whole or with its middle taken out. */
function isLine(shown: string, printed: string): boolean {
  if (shown === printed) return true;
  const [start, end, ...more] = shown.split(/\[… (?:[\d,]+ (?:characters?|bytes?)|part of this line) …\]/);
  if (start === undefined || end === undefined || more.length > 0) return false;
  return start.length + end.length <= printed.length && printed.startsWith(start) && printed.endsWith(end);
}

interface Notice {
  readonly ranges: readonly (readonly [number, number])[];
  readonly hiddenLines: number;
  readonly numbered: number;
  readonly at: number;
  readonly asked: number | null;
}

function parseNotice(shown: readonly string[]): Notice | null {
  const at = shown.findIndex((line) => line.startsWith('[Showing '));
  const match = shown[at]?.match(
    /^\[Showing (?:no line|lines? ([\d-]+)(?: and ([\d-]+))?) of (?:(\d+)|the requested lines (\d+)(?:-(\d+))?)(?:, and ([\d,]+) numbered lines? between them)?\. Not shown: ([\d,]+) lines?/,
  );
  if (match === null || match === undefined) return null;
  const ranges = match
    .slice(1, 3)
    .flatMap((range) => (range === undefined ? [] : [range.split('-').map(Number)]));
  const asked = match[4] === undefined ? null : Number(match[5] ?? match[4]) - Number(match[4]) + 1;
  return {
    ranges: ranges.map(([from = 0, to = from]) => [from, to] as const),
    numbered: Number(match[6] ?? 0),
    hiddenLines: Number(match[7]?.replaceAll(',', '')),
    at,
    asked,
  };
}

describe('a view for agents, of any output and with any limits', () => {
  test('never exceeds its budget by more than the notice may take', async () => {
    await fc.assert(
      fc.asyncProperty(output, setting, async (printed, options) => {
        const { text: shown } = await view(Buffer.from(printed), options);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(options.budgetBytes + 200);
      }),
      { numRuns: 200 },
    );
  });

  test('prints exactly the ranges that it shows', async () => {
    await fc.assert(
      fc.asyncProperty(output, setting, async (printed, options) => {
        const result = await view(Buffer.from(printed), options);
        const lines = printed.split('\n');
        const shown = result.text.split('\n');
        const notice = parseNotice(shown);
        if (notice === null) return;
        const [first, second] = notice.ranges;
        const headIsShown = notice.at > 0;
        const head = headIsShown ? shown.slice(0, notice.at - 1) : [];
        const rest = shown.slice(notice.at + 2).filter((line) => !/^\[… [\d,]+ more like it\]$/.test(line));
        const tailRange = headIsShown ? second : first;
        const between = rest.slice(0, notice.numbered);
        const tail = rest.slice(notice.numbered === 0 ? 0 : notice.numbered + 1);
        if (headIsShown) expectLines(head, first);
        if (tailRange !== undefined) expectLines(tail, tailRange);
        for (const line of between) {
          const [, number = '', content = ''] =
            line.match(/^(\d+): (.*?)(?: \(and \d+ more like it\))?$/) ?? [];
          expect(isLine(content, lines[Number(number) - 1] ?? '?') || content.endsWith('…')).toBe(true);
        }
        const count = notice.ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0) + notice.numbered;
        expect(notice.hiddenLines).toBe((notice.asked ?? result.totalLines) - count);

        function expectLines(actual: readonly string[], range: readonly [number, number] | undefined): void {
          const [from = 1, to = 0] = range ?? [];
          expect(to).toBeLessThanOrEqual(result.totalLines);
          for (let number = from; number <= to; number += 1) {
            const line = actual[number - from] ?? '?';
            expect(isLine(line, lines[number - 1] ?? '?'), `line ${number}: ${line}`).toBe(true);
          }
          expect(actual.slice(to - from + 1).every((line) => line === '')).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('shows everything or says what is missing, and the numbers add up', async () => {
    await fc.assert(
      fc.asyncProperty(output, setting, async (printed, options) => {
        const bytes = Buffer.from(printed);
        const result = await view(bytes, options);
        const lines = result.shown.reduce((sum, { from, to }) => sum + to - from + 1, 0);
        expect(result.totalBytes).toBe(bytes.length);
        expect(result.totalLines).toBe(
          printed === '' ? 0 : printed.split('\n').length - (printed.endsWith('\n') ? 1 : 0),
        );
        expect(lines + (result.omitted?.lines ?? 0)).toBe(result.totalLines);
        expect(result.omitted?.bytes ?? 0).toBeGreaterThanOrEqual(0);
        if (result.omitted === null) expect(result.text).toBe(printed);
        expect(result.truncation === null).toBe(result.omitted === null);
        expect(result.truncation?.outputLines ?? lines).toBe(lines);
      }),
      { numRuns: 200 },
    );
  });

  test('is the same however the bytes came', async () => {
    const anyBytes = fc
      .array(
        fc.oneof(
          fc.uint8Array({ maxLength: 20 }),
          fc.constantFrom('\x1b[31m', '\r', '\n', 'é', 'text\n').map((part) => Buffer.from(part)),
        ),
        { maxLength: 60 },
      )
      .map((parts) => Buffer.concat(parts));
    await fc.assert(
      fc.asyncProperty(
        anyBytes,
        setting,
        fc.integer({ min: 1, max: 50 }),
        async (bytes, options, chunkBytes) => {
          expect(await view(bytes, { ...options, chunkBytes })).toEqual(
            await view(bytes, { ...options, chunkBytes: 1_000_000 }),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});
