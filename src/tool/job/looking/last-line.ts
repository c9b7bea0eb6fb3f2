import { closeSync, openSync, readSync } from 'node:fs';
import { listPieces, type StreamPlace } from '../../../engine/output/kept/pieces.ts';
import { LineReader } from '../../../engine/text/line-reader.ts';

/** No prompt is longer, and no table has room for more. */
const LOOK_BYTES = 4096;

/** What was printed last, with its newline if it has one; lines of nothing but blanks are passed over. */
export function readLastLine(place: StreamPlace): string {
  let last = '';
  const reader = new LineReader({
    hold: LOOK_BYTES,
    onLine: ({ text, ended }) => {
      if (text.trim() !== '') last = ended ? `${text}\n` : text;
    },
  });
  reader.write(readEnd(place));
  reader.end();
  return last;
}

function readEnd(place: StreamPlace): Buffer {
  const piece = listPieces(place).at(-1);
  if (piece === undefined) return Buffer.alloc(0);
  const size = piece.to - piece.from;
  const bytes = Buffer.alloc(Math.min(size, LOOK_BYTES));
  let fd: number | undefined;
  try {
    fd = openSync(piece.path, 'r');
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
