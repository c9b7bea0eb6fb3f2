import type { Readable } from 'node:stream';
import { LineSplitter, type SplitLine } from './line-splitter.ts';
import type { Outbox } from './outbox.ts';

/** The longest line that a server takes; of a longer one nothing is held but its length. */
export const LINE_BYTES: number = 8 * 1024 * 1024;

/** Reads lines until there are no more. A client that does not read its answers is not read either. */
export async function readLines(
  stdin: Readable,
  { take, outbox }: { readonly take: (line: SplitLine) => void; readonly outbox: Outbox },
): Promise<void> {
  const splitter = new LineSplitter(LINE_BYTES, take);
  try {
    for await (const chunk of stdin) {
      splitter.write(chunk as Buffer);
      await outbox.ready();
    }
    splitter.end();
  } catch {
    // It was closed under us: there is nothing more to read.
  }
}
