import { open } from 'node:fs/promises';
import { type OutputSample, SAMPLE_BYTES } from '../binary-detection.ts';
import type { WindowContents } from '../output-window.ts';
import { listSegments, type StreamLocation } from './output-segments.ts';

/** A part of a stream by offsets, `to` excluded. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The stored bytes of one stream, in memory and on disk. */
export interface RawOutput {
  readonly totalBytes: number;
  /** Newlines in the whole stream, lost parts included; `null` if not counted. */
  readonly newlines: number | null;
  /** Whether the last line has no newline; `null` if unknown. */
  readonly unterminated: boolean | null;
  /** The readable ranges in order; they neither overlap nor touch. */
  readonly extents: readonly ByteRange[];
  /** The whole stream, if it is in memory. */
  readonly whole?: Buffer;
  /** Reads a part of one range. A buffer is valid until the next one is requested. */
  read(extent: ByteRange): AsyncIterable<Buffer>;
}

/** A range in memory or in one file. */
interface StoredRange extends ByteRange {
  read(extent: ByteRange): AsyncIterable<Buffer>;
}

/** Small enough that other work in the process is not delayed. */
const READ_CHUNK_BYTES = 256 * 1024;

/** Creates a source from a window, and from the files if the window is incomplete. */
export function rawOutputFromWindow(
  contents: WindowContents,
  location: StreamLocation | null = null,
): RawOutput {
  const { head, tail, totalBytes, newlines, unterminated } = contents;
  const held = [rangeInMemory(head, 0), rangeInMemory(tail, totalBytes - tail.length)];
  const complete = head.length + tail.length >= totalBytes;
  const kept = complete || location === null ? [] : rangesOnDisk(location);
  const whole = complete && tail.length === 0 ? { whole: head } : {};
  return createRawOutput([...held, ...kept], { totalBytes, newlines, unterminated, ...whole });
}

/** Creates a source from the segment files. Their content is read on demand. */
export function rawOutputFromFiles(location: StreamLocation, newlines: number | null = null): RawOutput {
  const kept = rangesOnDisk(location);
  return createRawOutput(kept, { totalBytes: kept.at(-1)?.to ?? 0, newlines, unterminated: null });
}

function createRawOutput(
  ranges: readonly StoredRange[],
  totals: Omit<RawOutput, 'extents' | 'read'>,
): RawOutput {
  return {
    ...totals,
    extents: mergeByteRanges(ranges, totals.totalBytes),
    async *read({ from, to }) {
      for (let at = from; at < to; ) {
        const range = ranges.find((each) => each.from <= at && at < each.to);
        if (range === undefined) return;
        const start = at;
        for await (const bytes of range.read({ from: at, to: Math.min(to, range.to) })) {
          at += bytes.length;
          yield bytes;
        }
        // The file was deleted meanwhile. Later bytes must not take its place.
        if (at === start) return;
      }
    },
  };
}

function mergeByteRanges(ranges: readonly ByteRange[], totalBytes: number): ByteRange[] {
  const merged: ByteRange[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const end = Math.min(to, totalBytes);
    const last = merged.at(-1);
    if (from >= end) continue;
    if (last !== undefined && from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, end) };
    else merged.push({ from, to: end });
  }
  return merged;
}

function rangeInMemory(bytes: Buffer, offset: number): StoredRange {
  return {
    from: offset,
    to: offset + bytes.length,
    async *read({ from, to }) {
      yield bytes.subarray(from - offset, to - offset);
    },
  };
}

function rangesOnDisk(location: StreamLocation): StoredRange[] {
  return listSegments(location).map((segment) => ({
    from: segment.from,
    to: segment.to,
    read: ({ from, to }) => readFileRange(segment.path, { from: from - segment.from, to: to - segment.from }),
  }));
}

async function* readFileRange(path: string, { from, to }: ByteRange): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => null);
  if (file === null) return;
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_CHUNK_BYTES, to - from));
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

/** Reads the first and last stored bytes, to detect binary output. */
export async function readSample(source: RawOutput): Promise<OutputSample> {
  const first = source.extents[0] ?? { from: 0, to: 0 };
  const last = source.extents.at(-1) ?? first;
  const head = await readRangeBytes(source, {
    from: first.from,
    to: Math.min(first.to, first.from + SAMPLE_BYTES),
  });
  const from = Math.max(last.from, last.to - SAMPLE_BYTES);
  return {
    head,
    tail:
      from < first.from + head.length ? Buffer.alloc(0) : await readRangeBytes(source, { from, to: last.to }),
  };
}

/** Reads a part of one range as a copy. */
export async function readRangeBytes(source: RawOutput, extent: ByteRange): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const bytes of source.read(extent)) parts.push(Buffer.from(bytes));
  return Buffer.concat(parts);
}
