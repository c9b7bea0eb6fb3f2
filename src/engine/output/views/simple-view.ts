import { incompleteUtf8Bytes, utf8Prefix } from '../../text/utf8.ts';
import { createCompleteView, type OutputView } from '../output-view.ts';
import { countLines } from '../raw/line-counting.ts';
import type { RawOutput } from '../raw/raw-output.ts';
import { readRangeBytes } from '../raw/raw-output.ts';
import { NO_SECRET_MASK, type SecretMask } from '../secret-mask.ts';

const WHOLE_BYTES = 1024 * 1024;
const SUFFIX = '... (truncated)';

/** Renders a stream for the `simple` profile: the first MiB, decoded, otherwise unchanged. */
export async function toSimpleView(raw: RawOutput, mask: SecretMask = NO_SECRET_MASK): Promise<OutputView> {
  const source = await countLines(raw);
  const { totalBytes, totalLines } = source;
  const extent = source.extents.find(({ from }) => from === 0) ?? { from: 0, to: 0 };
  // More than is shown, so that a secret at the end is complete.
  const to = Math.min(extent.to, WHOLE_BYTES + 4 * mask.maxSecretLength + 4);
  const bytes = await readRangeBytes(source, { from: 0, to });
  const seen = to === totalBytes ? bytes : bytes.subarray(0, bytes.length - incompleteUtf8Bytes(bytes));
  const masked = mask.apply(seen.toString('utf8'));
  const safe =
    to === totalBytes || mask.maxSecretLength === 0 ? masked : masked.slice(0, 1 - mask.maxSecretLength);
  const first = utf8Prefix(safe, WHOLE_BYTES);
  if (to === totalBytes && first === masked) return createCompleteView(masked, source);
  return renderHead(first, { totalBytes, totalLines });
}

function renderHead(
  first: string,
  totals: { readonly totalBytes: number; readonly totalLines: number },
): OutputView {
  const { totalBytes, totalLines } = totals;
  const outputBytes = Buffer.byteLength(first);
  const outputLines = Math.min(totalLines, first.split('\n').length - (first.endsWith('\n') ? 1 : 0));
  const shownRange = { from: 1, to: outputLines };
  return {
    text: `${first}${SUFFIX}`,
    totalBytes,
    totalLines,
    shown: outputLines === 0 ? [] : [shownRange],
    omitted: { lines: totalLines - outputLines, bytes: Math.max(0, totalBytes - outputBytes) },
    truncation: {
      direction: 'head',
      truncatedBy: 'bytes',
      totalLines,
      totalBytes,
      outputLines,
      outputBytes,
      shownRange,
    },
    binary: false,
  };
}
