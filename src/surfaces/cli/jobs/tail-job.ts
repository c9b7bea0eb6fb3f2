import { setTimeout as pause } from 'node:timers/promises';
import type { Artifact, Artifacts, JobInfo, Jobs } from '../../../index.ts';
import { complain, writeAll } from '../print.ts';

export interface TailOptions {
  readonly id: string;
  readonly lines: number;
  readonly follow: boolean;
}

const LOOK_EVERY_MS = 100;
/** Where the last lines begin is looked for in so much of the end, then in more. */
const LOOK_BYTES = [64 * 1024, 1024 * 1024];
const NEWLINE = 10;

/** The end of a job's output as it was printed, and what comes after it as long as the job lives. */
export async function tailJob(jobs: Jobs, artifacts: Artifacts, options: TailOptions): Promise<number> {
  const { id } = jobs.find(options.id);
  let at = await startOfLines(artifacts.open(id), options.lines);
  for (;;) {
    // Before the look at the output: what was printed until the end is then seen, too.
    const job = options.follow ? jobs.find(id) : null;
    at = await printFrom(artifacts.open(id), at);
    if (job === null) return 0;
    if (job.state !== 'running') {
      complain(renderEnd(job));
      return 0;
    }
    await pause(LOOK_EVERY_MS);
  }
}

async function printFrom(artifact: Artifact, start: number): Promise<number> {
  let at = start;
  while (at < artifact.totalBytes) {
    const piece = await artifact.bytes({ from: at, to: artifact.totalBytes });
    if (piece.from > at) complain(`${piece.from - at} bytes were not kept.`);
    if (piece.bytes.length === 0) return Math.max(at, piece.to);
    writeAll(1, piece.bytes);
    at = piece.to;
  }
  return at;
}

/** The offset at which the last lines begin; an unfinished one counts. */
async function startOfLines(artifact: Artifact, lines: number): Promise<number> {
  const { totalBytes } = artifact;
  for (const size of LOOK_BYTES) {
    const { from, bytes } = await artifact.bytes({ from: Math.max(0, totalBytes - size), to: totalBytes });
    const start = startIn(bytes, lines);
    if (start > 0 || from === 0) return from + start;
  }
  return Math.max(0, totalBytes - (LOOK_BYTES.at(-1) ?? 0));
}

function startIn(bytes: Buffer, lines: number): number {
  // The newline that ends the last line begins no further one.
  let at = bytes.length - 1;
  for (let found = 0; found < lines; found += 1) {
    if (at <= 0) return 0;
    at = bytes.lastIndexOf(NEWLINE, at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

function renderEnd({ id, state, exitCode, signal, status }: JobInfo): string {
  return `Job ${id} ${state}: ${signal ?? (exitCode === null ? status : `exit code ${exitCode}`)}`;
}
