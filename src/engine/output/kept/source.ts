import { open } from 'node:fs/promises';
import type { WindowContents } from '../window.ts';
import { listPieces, type StreamPlace } from './pieces.ts';

/** Part of a stream by offsets, `to` not included. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** The raw bytes of one stream as far as they can still be read, wherever they are. */
export interface RawSource {
  readonly totalBytes: number;
  /** In all of the stream, also in what is gone; `null` when nobody counted. */
  readonly newlines: number | null;
  /** Whether the last line has no newline; `null` when nobody looked. */
  readonly unterminated: boolean | null;
  /** What can be read, in order; they neither overlap nor touch. */
  readonly extents: readonly Extent[];
  /** All of it, where all of it is in memory. */
  readonly whole?: Buffer;
  /** The bytes of a part of one extent. A buffer is good until the next one is asked for. */
  read(extent: Extent): AsyncIterable<Buffer>;
}

/** A stretch of bytes in one place. */
interface Holding extends Extent {
  read(extent: Extent): AsyncIterable<Buffer>;
}

/** Between two reads of this size everybody else gets a turn. */
const SLICE_BYTES = 256 * 1024;

/** What a window holds, and, where something is missing from it, what is on disk. */
export function sourceOfWindow(contents: WindowContents, place: StreamPlace | null = null): RawSource {
  const { head, tail, totalBytes, newlines, unterminated } = contents;
  const held = [inMemory(head, 0), inMemory(tail, totalBytes - tail.length)];
  const complete = head.length + tail.length >= totalBytes;
  const kept = complete || place === null ? [] : onDisk(place);
  const whole = complete && tail.length === 0 ? { whole: head } : {};
  return createSource([...held, ...kept], { totalBytes, newlines, unterminated, ...whole });
}

/** What is on disk. Nothing is read before somebody asks for bytes. */
export function sourceOfKept(place: StreamPlace, newlines: number | null = null): RawSource {
  const kept = onDisk(place);
  return createSource(kept, { totalBytes: kept.at(-1)?.to ?? 0, newlines, unterminated: null });
}

function createSource(holdings: readonly Holding[], totals: Omit<RawSource, 'extents' | 'read'>): RawSource {
  return {
    ...totals,
    extents: merge(holdings, totals.totalBytes),
    async *read({ from, to }) {
      for (let at = from; at < to; ) {
        const holding = holdings.find((each) => each.from <= at && at < each.to);
        if (holding === undefined) return;
        const start = at;
        for await (const bytes of holding.read({ from: at, to: Math.min(to, holding.to) })) {
          at += bytes.length;
          yield bytes;
        }
        // Gone since we looked: what comes after it would be taken for what was here.
        if (at === start) return;
      }
    },
  };
}

function merge(holdings: readonly Extent[], totalBytes: number): Extent[] {
  const merged: Extent[] = [];
  for (const { from, to } of [...holdings].sort((a, b) => a.from - b.from)) {
    const end = Math.min(to, totalBytes);
    const last = merged.at(-1);
    if (from >= end) continue;
    if (last !== undefined && from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, end) };
    else merged.push({ from, to: end });
  }
  return merged;
}

function inMemory(bytes: Buffer, offset: number): Holding {
  return {
    from: offset,
    to: offset + bytes.length,
    async *read({ from, to }) {
      yield bytes.subarray(from - offset, to - offset);
    },
  };
}

function onDisk(place: StreamPlace): Holding[] {
  return listPieces(place).map((piece) => ({
    from: piece.from,
    to: piece.to,
    read: ({ from, to }) => readFile(piece.path, { from: from - piece.from, to: to - piece.from }),
  }));
}

async function* readFile(path: string, { from, to }: Extent): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => null);
  if (file === null) return;
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.min(SLICE_BYTES, to - from));
    for (let at = from; at < to; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - at), at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
