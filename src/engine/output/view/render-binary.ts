import { describeBinary } from '../binary.ts';
import type { CountedSource } from '../kept/line-places.ts';
import type { View } from './view.ts';

/** Binary output is described and not shown. */
export function renderBinary(
  { totalBytes, totalLines }: CountedSource,
  { head, artifact }: { readonly head: Buffer; readonly artifact: string | null },
): View {
  const text = describeBinary({ head, totalBytes, artifact });
  const omitted = { lines: totalLines, bytes: totalBytes };
  return { text, totalBytes, totalLines, shown: [], omitted, truncation: null, binary: true };
}
