import { Artifact } from '../../engine/output/raw/artifact.ts';
import type { StreamLocation } from '../../engine/output/raw/output-segments.ts';
import { rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import type { JobEnd } from '../contract/job.ts';
import type { LineRange } from '../contract/result.ts';
import { toJobInfo } from './job-info.ts';
import { renderJobStatus } from './job-status.ts';

/** Enough to see why it failed; the rest can be read. */
const JOB_END_LINES = 20;
const JOB_END_BYTES = 4 * 1024;

export async function toJobEnd(run: StoredRun, mask: SecretMask): Promise<JobEnd> {
  const job = toJobInfo(run);
  const name = `artifact://${run.id}`;
  const place = { directory: run.directory, stream: 'out' } as const;
  const { text } = await readLastOutputLines(place, {
    name,
    mask,
    lines: JOB_END_LINES,
    maxBytes: JOB_END_BYTES,
  });
  const shown = text.trim() === '' ? '(no output)' : text.replace(/\n$/, '');
  return { job, text: `${renderJobStatus(job)}\n\n${shown}\n\nAll of its output: ${name}` };
}

export interface LastOutputLinesOptions {
  /** How it is called: `artifact://<id>`. */
  readonly name: string;
  readonly lines: number;
  readonly maxBytes: number;
  readonly mask: SecretMask;
}

/** The end of an output. */
export interface LastOutputLines {
  readonly text: string;
  readonly totalBytes: number;
  /** Empty where it is too long to be counted. */
  readonly lines: readonly LineRange[];
  readonly notes: readonly string[];
}

/** To number lines all of it must be read; beyond this a look at the end would take too long. */
const MAX_NUMBERED_BYTES = 16 * 1024 * 1024;

/** The last lines of an output of any size, in a time that does not grow with it. */
export async function readLastOutputLines(
  place: StreamLocation,
  options: LastOutputLinesOptions,
): Promise<LastOutputLines> {
  const { name, lines, maxBytes, mask } = options;
  const source = rawOutputFromFiles(place);
  const { totalBytes } = source;
  const artifact = new Artifact({ source, name, mask, maxBytes });
  if (totalBytes <= MAX_NUMBERED_BYTES) return { ...(await artifact.tail(lines)), totalBytes };
  const { text, notes } = await artifact.text({ from: totalBytes - maxBytes, to: totalBytes });
  // The first one is most likely cut.
  const whole = text.slice(text.indexOf('\n') + 1);
  const shown = whole.split(/(?<=\n)/).slice(-lines);
  return { text: shown.join(''), totalBytes, lines: [], notes };
}
