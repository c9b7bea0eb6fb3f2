import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import type { KeepLimits } from '../../run/run-request.ts';
import { toHumanSize } from '../../text/format-size.ts';
import {
  deleteOldSegments,
  listSegments,
  type OutputSegment,
  type StreamLocation,
  segmentPath,
} from './output-segments.ts';

const ERRNO_TEXTS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'writing is not permitted',
  EPERM: 'writing is not permitted',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports an error',
  EFBIG: 'the file would be too large',
  ENOENT: 'the directory is gone',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Describes a write error in words: `no space is left on the disk (ENOSPC)`. */
function describeWriteError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words = code === undefined ? undefined : ERRNO_TEXTS[code];
  return words === undefined ? String(message) : `${words} (${code})`;
}

interface RawOutputWriterOptions extends StreamLocation {
  readonly limits: KeepLimits;
  /** Called once if `limits.onFull` is `stop` and the limit is exceeded. */
  readonly onFull?: () => void;
}

/** How much of an output was written, and what was lost. */
interface RawOutputState {
  readonly totalBytes: number;
  readonly keptBytes: number;
  /** A sentence about a write error, or `null`. */
  readonly problem: string | null;
  /** Sentences about every loss, `problem` included. */
  readonly notes: readonly string[];
}

const OUTPUT_FILE_MODE = 0o600;
/** Pause after a failed write. */
const WRITE_RETRY_MS = 1000;
/** Number of bytes written between two checks of the free space. */
const DISK_CHECK_BYTES = 4 * 1024 * 1024;
/** Segment size on a disk that is nearly full. */
const LOW_DISK_SEGMENT_BYTES = 1024 * 1024;

/**
 * Writes raw output to segment files. A write error never fails the command.
 *
 * The first segment holds half of the limit. Later segments hold a quarter each, and the last two of them stay.
 * The supervisor writes the same files: it may continue after `close`, and a later `write` continues where it
 * stopped.
 */
export class RawOutputWriter {
  readonly #location: StreamLocation;
  readonly #limits: KeepLimits;
  readonly #onFull: () => void;
  #fd: number | null = null;
  /** Offset of the next byte in the stream. */
  #offset = 0;
  #segmentSize = 0;
  #segmentLimit = 0;
  #uncheckedBytes = 0;
  #lowDiskAt: number | null = null;
  #full = false;
  #failedAtMs: number | null = null;
  #failure: string | null = null;

  constructor({ limits, onFull = () => undefined, ...location }: RawOutputWriterOptions) {
    this.#location = location;
    this.#limits = limits;
    this.#onFull = onFull;
  }

  write(chunk: Buffer): void {
    const end = this.#offset + chunk.length;
    const wasFull = this.#full;
    if (this.#limits.maxBytes > 0 && !this.#isPaused()) {
      try {
        this.#append(chunk);
      } catch (error) {
        this.#recordFailure(error);
      }
    }
    // Bytes that could not be written count, because the name of the next segment is its offset.
    if (this.#offset < end) this.#offset = end;
    if (this.#full && !wasFull) this.#onFull();
  }

  /** Closes the file; another writer may continue. */
  close(): void {
    const fd = this.#fd;
    this.#fd = null;
    try {
      if (fd !== null) closeSync(fd);
    } catch (error) {
      // The descriptor is closed anyway. A network file system may report a full disk only now.
      this.#failure ??= describeWriteError(error);
    }
  }

  state(): RawOutputState {
    const keptBytes = listSegments(this.#location).reduce((sum, { from, to }) => sum + to - from, 0);
    const totalBytes = Math.max(this.#offset, keptBytes);
    const problem = this.#failure === null ? null : `The full output could not be kept: ${this.#failure}.`;
    const notes = [problem, this.#describeLowDisk(), this.#describeDropped(totalBytes - keptBytes)];
    return { totalBytes, keptBytes, problem, notes: notes.filter((note) => note !== null) };
  }

  #append(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      const fd = this.#openSegment();
      if (fd === null) return;
      const written = writeSync(fd, rest, 0, Math.min(rest.length, this.#spaceLeft()));
      this.#segmentSize += written;
      this.#offset += written;
      this.#uncheckedBytes += written;
      rest = rest.subarray(written);
    }
  }

  /** The segment with space for at least one byte; `null` when nothing more is kept. */
  #openSegment(): number | null {
    if (this.#fd === null) this.#resume();
    if (this.#uncheckedBytes >= DISK_CHECK_BYTES) this.#checkDisk();
    if (this.#spaceLeft() > 0) return this.#fd;
    this.#full = this.#bytesBeforeStop() <= 0;
    if (this.#full || this.#laterSegmentLimit() === 0) return null;
    this.#startSegment(this.#offset);
    return this.#fd;
  }

  #spaceLeft(): number {
    return Math.min(this.#segmentLimit - this.#segmentSize, this.#bytesBeforeStop());
  }

  #bytesBeforeStop(): number {
    const { maxBytes, onFull } = this.#limits;
    return onFull === 'stop' ? maxBytes - this.#offset : Number.POSITIVE_INFINITY;
  }

  /** Continues the last segment, unless bytes were lost since. */
  #resume(): void {
    const last: OutputSegment = listSegments(this.#location).at(-1) ?? { path: '', from: 0, to: 0 };
    this.#offset = Math.max(this.#offset, last.to);
    this.#checkDisk();
    if (last.to === this.#offset) this.#open(last.from, last.to - last.from);
    else this.#startSegment(this.#offset);
  }

  #startSegment(offset: number): void {
    this.close();
    // One besides the new segment, so that the limit is never exceeded.
    deleteOldSegments(this.#location, { keep: 1 });
    this.#open(offset, 0);
  }

  #open(offset: number, size: number): void {
    this.#fd = openSync(segmentPath(this.#location, offset), 'a', OUTPUT_FILE_MODE);
    this.#segmentSize = size;
    this.#segmentLimit = offset === 0 ? this.#firstSegmentLimit() : this.#laterSegmentLimit();
    this.#failedAtMs = null;
  }

  #firstSegmentLimit(): number {
    const { maxBytes, onFull } = this.#limits;
    const later = this.#laterSegmentLimit();
    if (later === 0) return maxBytes;
    return this.#lowDiskAt === null && onFull === 'drop_middle' ? Math.floor(maxBytes / 2) : later;
  }

  /** 0: only the first segment is used. */
  #laterSegmentLimit(): number {
    const quarter = Math.floor(this.#limits.maxBytes / 4);
    if (this.#lowDiskAt !== null) return Math.min(quarter, LOW_DISK_SEGMENT_BYTES);
    return this.#limits.onFull === 'stop' ? 0 : quarter;
  }

  #checkDisk(): void {
    this.#uncheckedBytes = 0;
    if (this.#lowDiskAt !== null || freeBytes(this.#location.directory) >= this.#limits.minFreeBytes) return;
    this.#lowDiskAt = this.#offset;
    // The current segment ends here.
    if (this.#laterSegmentLimit() > 0) this.#segmentLimit = Math.min(this.#segmentLimit, this.#segmentSize);
  }

  #isPaused(): boolean {
    return this.#failedAtMs !== null && Date.now() - this.#failedAtMs < WRITE_RETRY_MS;
  }

  #recordFailure(error: unknown): void {
    this.#failure = describeWriteError(error);
    this.#failedAtMs = Date.now();
    this.close();
  }

  #describeLowDisk(): string | null {
    if (this.#lowDiskAt === null) return null;
    const floor = toHumanSize(this.#limits.minFreeBytes);
    return `Less than ${floor} is free on the disk: after the first ${toHumanSize(this.#lowDiskAt)} only the last part of the output is kept.`;
  }

  #describeDropped(bytes: number): string | null {
    if (bytes <= 0) return null;
    if (this.#limits.maxBytes === 0) return 'The full output is not kept: the limit is 0 bytes.';
    const why = this.#failure === null ? `; the limit is ${toHumanSize(this.#limits.maxBytes)} per run` : '';
    return `${toHumanSize(bytes)} of the output were not kept${why}.`;
  }
}

/** Infinite if the file system does not report it. */
function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
