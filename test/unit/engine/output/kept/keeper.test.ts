import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listSegments } from '../../../../../src/engine/output/raw/output-segments.ts';
import { RawOutputWriter } from '../../../../../src/engine/output/raw/raw-output-writer.ts';

const LIMITS = { maxBytes: 1000, onFull: 'drop_middle', minFreeBytes: 0 } as const;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nacre-keep-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

const keeper = (limits: object = {}, more: object = {}): RawOutputWriter =>
  new RawOutputWriter({ directory, stream: 'out', limits: { ...LIMITS, ...limits }, ...more });
const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd')
    .flatMap((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return [];
      }
    })
    .filter((path) => path.startsWith(directory));

/** A stream whose bytes tell where they belong. */
const stream = (length: number, from = 0): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (from + index) % 251));

describe('a keeper', () => {
  test('makes no file before the first byte, and holds none open after the end', () => {
    const kept = keeper();
    expect(readdirSync(directory)).toEqual([]);
    kept.write(Buffer.from('hello'));
    expect(openFiles()).toHaveLength(1);
    kept.close();
    kept.close();
    expect(read('out')).toBe('hello');
    expect(openFiles()).toEqual([]);
    expect(kept.state()).toEqual({ totalBytes: 5, keptBytes: 5, problem: null, notes: [] });
    expect(statSync(join(directory, 'out')).mode & 0o777).toBe(0o600);
  });

  test('never exceeds its limit, and every piece holds the bytes its name promises', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 200 }), (lengths, maxBytes) => {
        rmSync(directory, { recursive: true });
        mkdirSync(directory);
        const kept = keeper({ maxBytes });
        let total = 0;
        for (const length of lengths) {
          kept.write(stream(length, total));
          total += length;
          const onDisk = listSegments({ directory, stream: 'out' }).reduce(
            (sum, piece) => sum + piece.to - piece.from,
            0,
          );
          expect(onDisk).toBeLessThanOrEqual(maxBytes);
        }
        kept.close();
        const pieces = listSegments({ directory, stream: 'out' });
        for (const { path, from, to } of pieces) expect(readFileSync(path)).toEqual(stream(to - from, from));
        if (total <= maxBytes / 2) expect(pieces.at(-1)?.to ?? 0).toBe(total);
        if (maxBytes >= 4) expect(pieces.at(-1)?.to ?? 0).toBe(total);
      }),
      { numRuns: 200 },
    );
  });

  test('keeps the first half and the last quarter at least', () => {
    const kept = keeper();
    for (let from = 0; from < 10_000; from += 100) kept.write(stream(100, from));
    const pieces = listSegments({ directory, stream: 'out' }).map(({ from, to }) => [from, to]);
    expect(pieces).toEqual([
      [0, 500],
      [9500, 9750],
      [9750, 10_000],
    ]);
    expect(kept.state().notes).toEqual([
      '8.8 KB of the output were not kept; the limit is 1000 bytes per run.',
    ]);
    kept.close();
  });

  test('keeps nothing at a limit of 0', () => {
    const kept = keeper({ maxBytes: 0 });
    kept.write(Buffer.from('x'));
    expect(readdirSync(directory)).toEqual([]);
    expect(kept.state().notes).toEqual(['The full output is not kept: the limit is 0 bytes.']);
  });

  test('says once that it is full where a run is to be stopped then', () => {
    let told = 0;
    const kept = keeper({ maxBytes: 10, onFull: 'stop' }, { onFull: () => (told += 1) });
    kept.write(Buffer.from('0123456789'));
    expect(told).toBe(0);
    kept.write(Buffer.from('a'));
    kept.write(Buffer.from('b'));
    expect(told).toBe(1);
    expect(readdirSync(directory)).toEqual(['out']);
    expect(read('out')).toBe('0123456789');
    kept.close();
  });

  test('goes on where another writer stopped', () => {
    writeFileSync(join(directory, 'out'), stream(500));
    writeFileSync(join(directory, 'out.700'), stream(100, 700));
    const kept = keeper();
    kept.write(stream(50, 800));
    kept.close();
    appendFileSync(join(directory, 'out.700'), stream(50, 850));
    kept.write(stream(150, 900));
    kept.close();
    expect(listSegments({ directory, stream: 'out' }).map(({ from, to }) => [from, to])).toEqual([
      [0, 500],
      [700, 950],
      [950, 1050],
    ]);
    expect(readFileSync(join(directory, 'out.700'))).toEqual(stream(250, 700));
    expect(readFileSync(join(directory, 'out.950'))).toEqual(stream(100, 950));
  });

  test('does not take other files for pieces', () => {
    for (const name of ['out.', 'out.x', 'out.012', 'out.1.tmp', 'outer', 'err', 'background.log'])
      writeFileSync(join(directory, name), 'x');
    expect(listSegments({ directory, stream: 'out' })).toEqual([]);
    expect(listSegments({ directory: join(directory, 'nowhere'), stream: 'out' })).toEqual([]);
  });

  test('keeps only a short tail when the disk is nearly full', () => {
    const kept = keeper({ maxBytes: 64 * 1024 * 1024, minFreeBytes: Number.MAX_SAFE_INTEGER });
    const chunk = Buffer.alloc(512 * 1024);
    for (let count = 0; count < 20; count += 1) kept.write(chunk);
    kept.close();
    const MIB = 1024 * 1024;
    expect(listSegments({ directory, stream: 'out' }).map(({ from, to }) => [from / MIB, to / MIB])).toEqual([
      [0, 1],
      [8, 9],
      [9, 10],
    ]);
    expect(kept.state().notes[0]).toMatch(
      /^Less than .* is free on the disk: after the first 0 bytes only the last part/,
    );
  });
});

describe('a store that fails', () => {
  test('does not fail the command, and is tried again later', () => {
    vi.useFakeTimers();
    symlinkSync('/dev/full', join(directory, 'out'));
    const kept = keeper();
    kept.write(stream(10));
    kept.write(stream(10, 10));
    expect(kept.state().problem).toBe(
      'The full output could not be kept: no space is left on the disk (ENOSPC).',
    );
    expect(openFiles()).toEqual([]);
    vi.advanceTimersByTime(1000);
    kept.write(stream(10, 20));
    kept.close();
    expect(readFileSync(join(directory, 'out.20'))).toEqual(stream(10, 20));
    expect(kept.state().notes).toEqual([
      'The full output could not be kept: no space is left on the disk (ENOSPC).',
      '20 bytes of the output were not kept.',
    ]);
    unlinkSync(join(directory, 'out'));
  });

  test.each([
    ['its directory is gone', () => rmSync(directory, { recursive: true }), 'the directory is gone (ENOENT)'],
    [
      'something else is in its place',
      () => mkdirSync(join(directory, 'out')),
      'EISDIR: illegal operation on a directory',
    ],
  ])('is described when %s', (_, spoil, reason) => {
    spoil();
    const kept = keeper();
    kept.write(Buffer.from('x'));
    expect(kept.state().problem).toContain(reason);
    kept.close();
    mkdirSync(directory, { recursive: true });
  });
});
