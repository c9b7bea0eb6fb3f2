import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_CONDENSERS } from '../../../../../src/engine/output/condensers/built-in-condensers.ts';
import type { OutputView } from '../../../../../src/engine/output/output-view.ts';
import { OutputWindow } from '../../../../../src/engine/output/output-window.ts';
import { rawOutputFromWindow } from '../../../../../src/engine/output/raw/raw-output.ts';
import { toAgentView } from '../../../../../src/engine/output/views/agent-view.ts';

const ARTIFACT = 'artifact://r-0123456789';

interface Options {
  readonly budgetBytes: number;
  readonly name?: string;
  readonly artifact?: string | null;
  readonly tailLines?: number;
}

function view(
  output: string,
  { budgetBytes, name = 'vitest', artifact = ARTIFACT, tailLines }: Options,
): Promise<OutputView> {
  const window = new OutputWindow({ headBytes: 1 << 20, tailBytes: 1 << 20 });
  window.write(Buffer.from(output));
  const condenser = BUILT_IN_CONDENSERS.find((each) => each.name === name) ?? null;
  return toAgentView(rawOutputFromWindow(window.read()), {
    artifact,
    limits: { budgetBytes },
    ...(tailLines === undefined ? {} : { tailLines }),
    condenser: async () => condenser,
  });
}

const passing = Array.from(
  { length: 400 },
  (_, index) => ` ✓ test/a.test.ts > adds ${index} ${index}ms\n`,
).join('');
const output = `RUN v3\n${passing} × test/a.test.ts > subtracts 3ms\n${passing} Tests  1 failed | 800 passed (801)\n`;

describe('output of a known command that does not fit', () => {
  test('is condensed, with a notice of what is omitted and where the raw output is', async () => {
    const shown = await view(output, { budgetBytes: 8192 });
    expect(shown.text).toBe(
      [
        'RUN v3',
        '[… 400 passed tests]',
        ' × test/a.test.ts > subtracts 3ms',
        '[… 400 passed tests]',
        ' Tests  1 failed | 800 passed (801)',
        '',
        '[Condensed (vitest): 3 of 803 lines shown. Left out: 800 passed tests; 29,160 bytes.]',
        `[raw output: ${ARTIFACT}]`,
        '',
      ].join('\n'),
    );
    expect(shown.shown).toEqual([
      { from: 1, to: 1 },
      { from: 402, to: 402 },
      { from: 803, to: 803 },
    ]);
    expect(shown.omitted).toEqual({ lines: 800, bytes: 29_160 });
    expect(shown.truncation).toMatchObject({
      condensedBy: 'vitest',
      truncatedBy: 'bytes',
      artifactId: 'r-0123456789',
    });
  });

  test('is left alone where it fits', async () => {
    const shown = await view(output, { budgetBytes: 100_000 });
    expect(shown.text).toBe(output);
  });

  test('is truncated without condensing if the full output was not kept or lines were requested', async () => {
    expect((await view(output, { budgetBytes: 8192, artifact: null })).text).not.toContain('Condensed');
    expect((await view(output, { budgetBytes: 8192, tailLines: 500 })).text).not.toContain('Condensed');
  });

  test('is cut as it is when hardly anything could be left out', async () => {
    const noisy = Array.from(
      { length: 2000 },
      (_, index) => `line ${'x'.repeat(index % 50)} of much text`,
    ).join('\n');
    expect((await view(noisy, { budgetBytes: 8192, name: 'npm' })).text).toContain('[Showing lines');
  });

  test('is cut, too, when it still does not fit', async () => {
    const wordy = Array.from(
      { length: 900 },
      (_, index) => `log ${String.fromCharCode(97 + (index % 26))}${'y'.repeat(index % 60)}\n`,
    );
    const shown = await view(passing + wordy.join('') + passing, { budgetBytes: 8192 });
    expect(shown.text).toMatch(
      /\[Showing \d+ of the lines \d+-\d+ and \d+ of the lines \d+-\d+ of 1700\. Not shown:/,
    );
    expect(shown.text.split(ARTIFACT)).toHaveLength(2);
    expect(shown.text).toMatch(/\[raw output: artifact:\/\/r-0123456789\]\n$/);
  });
});

const line = fc.oneof(
  { weight: 3, arbitrary: fc.nat(99).map((number) => ` ✓ passes ${number} 3ms`) },
  {
    weight: 2,
    arbitrary: fc.nat(9).map((number) => `npm http fetch GET 200 https://r.example/${number} 3ms`),
  },
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '7'), maxLength: 50 }),
  fc.constantFrom(
    'error: x',
    ' × fails',
    '=== RUN   TestA',
    '--- PASS: TestA',
    '--- FAIL: TestA',
    '  suite',
    '',
    'warning: y',
  ),
);

describe('whatever is made shorter', () => {
  const name = fc.constantFrom(...BUILT_IN_CONDENSERS.map((condenser) => condenser.name));
  const budget = fc.integer({ min: 300, max: 2500 });

  test('no line is invented, the order is kept, and the budget, too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 20, maxLength: 150 }),
        name,
        budget,
        async (lines, condenser, budgetBytes) => {
          const shown = await view(lines.map((each) => `${each}\n`).join(''), {
            budgetBytes,
            name: condenser,
          });
          expect(Buffer.byteLength(shown.text)).toBeLessThanOrEqual(budgetBytes + 200);
          let at = 0;
          for (const text of shown.text.split('\n')) {
            if (text === '' || /^\[(?:… [\d,]+ |Showing |Condensed |raw output: )/.test(text)) continue;
            const plain = text.replace(/^\d+: /, '');
            const found = lines.findIndex((each, index) => index >= at && (each === text || each === plain));
            expect(found, text).not.toBe(-1);
            at = found + 1;
          }
          const numbers = shown.shown.reduce((sum, { from, to }) => sum + to - from + 1, 0);
          expect(numbers + (shown.omitted?.lines ?? 0)).toBe(lines.length);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('nothing is left out that fails or warns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 60, maxLength: 150 }), name, async (lines, condenser) => {
        const noted = lines.map((each, index) =>
          index % 20 === 3 ? `src/f${index}.c:3:1: error: broken ${index}` : each,
        );
        const shown = await view(noted.map((each) => `${each}\n`).join(''), {
          budgetBytes: 6000,
          name: condenser,
        });
        if (shown.truncation?.condensedBy === undefined) return;
        for (const each of noted) if (/: error: /.test(each)) expect(shown.text).toContain(each);
      }),
    );
  });
});
