import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputWindow } from '../../../../../src/engine/output/output-window.ts';
import { type RawOutput, rawOutputFromWindow } from '../../../../../src/engine/output/raw/raw-output.ts';
import { createSecretMask, NO_SECRET_MASK } from '../../../../../src/engine/output/secret-mask.ts';
import {
  AGENT_VIEW_LIMITS,
  toAgentView,
  viewShortOutput,
} from '../../../../../src/engine/output/views/agent-view.ts';

const artifact = 'artifact://r-0123456789';

function sourceOf(output: string): RawOutput {
  const window = new OutputWindow({ headBytes: 100_000, tailBytes: 100_000 });
  window.write(Buffer.from(output));
  return rawOutputFromWindow(window.read());
}

const unit = fc.constantFrom(
  'a',
  'word',
  ' ',
  '\t',
  '\n',
  '\n',
  '\r',
  '\b',
  '\x1b[1m',
  'é',
  '~',
  'secret',
  '\0',
);

test('what the short way shows is what the long way shows', async () => {
  let short = 0;
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, maxLength: 40 }), async (output) => {
      const mask = createSecretMask(['secret']);
      const { whole: _, ...source } = sourceOf(output);
      const quick = viewShortOutput(sourceOf(output), { mask, limits: AGENT_VIEW_LIMITS });
      if (quick === null) return;
      short += 1;
      expect(quick).toEqual(await toAgentView(source, { artifact, mask }));
    }),
    { numRuns: 2_000 },
  );
  expect(short).toBeGreaterThan(50);
});

test.each([
  ['a secret', 'my secret\n'],
  ['a character of several bytes', 'é\n'],
  ['an escape sequence', '\x1b[1mbold\x1b[0m\n'],
  ['a carriage return', '10%\r20%\n'],
  ['more than a short output', `${'x'.repeat(79)}\n`.repeat(60)],
])('%s takes the long way', (_, output) => {
  expect(
    viewShortOutput(sourceOf(output), { mask: createSecretMask(['secret']), limits: AGENT_VIEW_LIMITS }),
  ).toBeNull();
});

test('empty output, and text without a newline, are short', () => {
  for (const output of ['', 'word'])
    expect(viewShortOutput(sourceOf(output), { mask: NO_SECRET_MASK, limits: AGENT_VIEW_LIMITS })?.text).toBe(
      output,
    );
});
