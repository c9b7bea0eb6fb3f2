import type { Sample } from '../binary.ts';
import type { Extent, RawSource } from './source.ts';

const SAMPLE_BYTES = 8192;

/** Both ends of what can be read, to see what it is. */
export async function sampleOf(source: RawSource): Promise<Sample> {
  const first = source.extents[0] ?? { from: 0, to: 0 };
  const last = source.extents.at(-1) ?? first;
  const head = await collectBytes(source, {
    from: first.from,
    to: Math.min(first.to, first.from + SAMPLE_BYTES),
  });
  const from = Math.max(last.from, last.to - SAMPLE_BYTES);
  return {
    head,
    tail:
      from < first.from + head.length ? Buffer.alloc(0) : await collectBytes(source, { from, to: last.to }),
  };
}

/** A copy of a part of one extent. */
export async function collectBytes(source: RawSource, extent: Extent): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const bytes of source.read(extent)) parts.push(Buffer.from(bytes));
  return Buffer.concat(parts);
}
