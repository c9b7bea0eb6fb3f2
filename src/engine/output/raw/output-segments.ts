import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type StreamName, segmentName } from '../../run/run-files.ts';

/** The run directory and stream of a raw output. */
export interface StreamLocation {
  readonly directory: string;
  readonly stream: StreamName;
}

/** One file of raw output. `from` and `to` are offsets in the stream, `to` excluded. */
export interface OutputSegment {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Lists the segment files of a stream in order. The cost does not depend on their size. */
export function listSegments({ directory, stream }: StreamLocation): OutputSegment[] {
  const segments: OutputSegment[] = [];
  for (const name of listNames(directory)) {
    const from = offsetOf(name, stream);
    const size = from === null ? null : sizeOf(join(directory, name));
    if (from !== null && size !== null) segments.push({ path: join(directory, name), from, to: from + size });
  }
  return segments.sort((a, b) => a.from - b.from);
}

/** Deletes segments; the first one and the last `keep` stay. */
export function deleteOldSegments(location: StreamLocation, { keep }: { readonly keep: number }): void {
  const later = listSegments(location).filter(({ from }) => from > 0);
  for (const { path } of later.slice(0, Math.max(0, later.length - keep))) rmSync(path, { force: true });
}

/** The path of the segment that begins at an offset. */
export function segmentPath({ directory, stream }: StreamLocation, offset: number): string {
  return join(directory, segmentName(stream, offset));
}

function offsetOf(name: string, stream: StreamName): number | null {
  if (name === stream) return 0;
  const digits = name.startsWith(`${stream}.`) ? name.slice(stream.length + 1) : '';
  return /^[1-9]\d{0,15}$/.test(digits) ? Number(digits) : null;
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** `null`: deleted since the directory was read. */
function sizeOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : stats.size;
}
