import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { OutputWindow, PROFILE_WINDOW_SIZES } from '../../../../../src/engine/output/output-window.ts';
import { type RawOutput, rawOutputFromWindow } from '../../../../../src/engine/output/raw/raw-output.ts';
import { createSecretMask } from '../../../../../src/engine/output/secret-mask.ts';
import { toModesView } from '../../../../../src/engine/output/views/modes-view.ts';
import { toSimpleView } from '../../../../../src/engine/output/views/simple-view.ts';
import { toTailText } from '../../../../../src/engine/output/views/tail-text.ts';

const directory = mkdtempSync(join(tmpdir(), 'nacre-views-'));
afterAll(() => rmSync(directory, { recursive: true }));

const KIB = 1024;
const ARTIFACT = 'artifact://r1';

function windowOf(output: string | Buffer, profile: keyof typeof PROFILE_WINDOW_SIZES): OutputWindow {
  const window = new OutputWindow(PROFILE_WINDOW_SIZES[profile]);
  window.write(Buffer.from(output));
  return window;
}

function source(
  output: string | Buffer,
  profile: keyof typeof PROFILE_WINDOW_SIZES,
  kept = false,
): RawOutput {
  if (kept) writeFileSync(join(directory, 'out'), output);
  return rawOutputFromWindow(windowOf(output, profile).read(), kept ? { directory, stream: 'out' } : null);
}

describe('the view of modes', () => {
  const modes = (output: string | Buffer, kept = false) =>
    toModesView(source(output, 'modes', kept), { artifact: ARTIFACT });

  test('shows 128 KiB whole, in one line or in many', async () => {
    for (const output of ['a'.repeat(128 * KIB), 'a\n'.repeat(64 * KIB)]) {
      expect(await modes(output)).toMatchObject({ text: output, omitted: null, truncation: null });
    }
  });

  test('shows the first and last 4 KiB of more', async () => {
    for (const kept of [false, true]) {
      const output = `${'a'.repeat(100 * KIB)}${'b'.repeat(100 * KIB)}`;
      const { text } = await modes(output, kept);
      expect(text).toBe(
        `[output truncated in middle: got 200.0KB, max is 128.0KB]\n${'a'.repeat(4096)}\n\n[snip]\n\n${'b'.repeat(4096)}`,
      );
    }
  });

  test('says the size of gigabytes without reading them', async () => {
    const window = windowOf('x'.repeat(300 * KIB), 'modes').read();
    const huge = rawOutputFromWindow({ ...window, totalBytes: 3 * KIB ** 3 }, null);
    const { text, omitted } = await toModesView(huge, { artifact: null });
    expect(text.startsWith('[output truncated in middle: got 3.0GB, max is 128.0KB]\nxxx')).toBe(true);
    expect(omitted).toEqual({ lines: 0, bytes: 3 * KIB ** 3 - 8 * KIB });
  });

  test('gives true line ranges', async () => {
    const output = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}\n`).join('');
    const { text, shown, omitted } = await modes(output);
    const [first = '', last = ''] = text.slice(text.indexOf('\n') + 1).split('\n\n[snip]\n\n');
    expect(first.split('\n')).toHaveLength(shown[0]?.to ?? 0);
    expect(last.split('\n')[1]).toBe(`line ${(shown[1]?.from ?? 0) + 1}`);
    expect(omitted?.lines).toBe(20_000 - (shown[0]?.to ?? 0) - (20_000 - (shown[1]?.from ?? 0) + 1));
  });

  test('cuts on character boundaries, within the budget, and only above it', async () => {
    const unit = fc.constantFrom('é\n', '€', '🙂', 'ab\n');
    await fc.assert(
      fc.asyncProperty(
        unit,
        fc.integer({ min: 20 * KIB, max: 90 * KIB }),
        fc.nat(3),
        async (piece, count, shift) => {
          const output = `${'x'.repeat(shift)}${piece.repeat(count)}`;
          const { text } = await modes(output);
          if (Buffer.byteLength(output) <= 128 * KIB) {
            expect(text).toBe(output);
            return;
          }
          expect(text).not.toContain('\ufffd');
          const [first = '', last = ''] = text.slice(text.indexOf('\n') + 1).split('\n\n[snip]\n\n');
          for (const end of [first, last]) expect(4096 - Buffer.byteLength(end)).toBeLessThan(4);
          expect(output.startsWith(first) && output.endsWith(last)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('masks before it cuts', async () => {
    const secret = 'correct-horse-battery';
    for (let shift = 0; shift < secret.length; shift += 3) {
      const output = `${'.'.repeat(4096 - shift)}${secret}${'.'.repeat(200 * KIB)}${secret}${'.'.repeat(4096 - shift)}`;
      const { text } = await toModesView(source(output, 'modes'), {
        artifact: null,
        mask: createSecretMask([secret]),
      });
      expect(text).not.toMatch(/correct|horse|battery/);
    }
  });

  test('describes binary output', async () => {
    expect((await modes(Buffer.alloc(500))).text).toBe(
      '[binary output: 500 bytes, begins 00 00 00 00 00 00 00 00; read it with artifact://r1]',
    );
  });
});

describe('the view of simple', () => {
  const simple = (output: string | Buffer, secrets: string[] = []) =>
    toSimpleView(source(output, 'simple'), createSecretMask(secrets));

  test('is the output decoded and otherwise as it is', async () => {
    const output = 'a\r\n\x1b[31mred\x1b[0m\0\x07 10%\r20%';
    expect(await simple(output)).toMatchObject({ text: output, omitted: null });
    expect((await simple(Buffer.from([0x61, 0xff, 0x62]))).text).toBe('a\ufffdb');
  });

  test('ends after one MiB with its suffix', async () => {
    const whole = 'x'.repeat(KIB ** 2);
    expect((await simple(whole)).text).toBe(whole);
    const more = await simple(`${whole}y`);
    expect(more.text).toBe(`${whole}... (truncated)`);
    expect(more.omitted).toEqual({ lines: 0, bytes: 1 });
  });

  test('is cut between characters', async () => {
    const { text } = await simple(`x${'€'.repeat(KIB ** 2)}`);
    expect(text).toMatch(/^x€+\.\.\. \(truncated\)$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(KIB ** 2 + 15);
  });

  test('masks before it cuts', async () => {
    const secret = 'correct-horse-battery';
    const { text } = await simple(`${'.'.repeat(KIB ** 2 - 10)}${secret}${secret}${'.'.repeat(300 * KIB)}`, [
      secret,
    ]);
    expect(text).not.toContain('correct');
  });
});

describe('the tail of an output that is still going', () => {
  test('is all of a short one, unfinished line included', () => {
    expect(toTailText(windowOf('a\x1b[31mb\nc\rd', 'agent'))).toBe('ab\nd');
    expect(toTailText(windowOf('', 'agent'))).toBe('');
  });

  test('is whole lines within the budget', () => {
    const output = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join('');
    const text = toTailText(windowOf(output, 'agent'), { budgetBytes: 1000 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000);
    expect(output.endsWith(`\n${text}`)).toBe(true);
  });

  test('shows the end of a line that never ends', () => {
    const text = toTailText(windowOf('x'.repeat(500 * KIB), 'agent'));
    expect(text).toMatch(/^\[… part of this line …\]x+$/);
    expect(text.length).toBeLessThanOrEqual(2000);
  });

  test('hides secrets, also one that is just being printed', () => {
    const mask = createSecretMask(['hunter2hunter2']);
    expect(toTailText(windowOf('x hunter2hunter2 y\npass: hunter2hun', 'agent'), { mask })).toBe(
      'x [redacted] y\npass: [redacted]',
    );
  });
});
