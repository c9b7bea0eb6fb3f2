import { Artifact } from '../../engine/output/raw/artifact.ts';
import type { StreamLocation } from '../../engine/output/raw/output-segments.ts';
import { rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import type { JobEnd } from '../contract/job.ts';
import type { LineRange } from '../contract/result.ts';
import { toJobInfo } from './job-info.ts';
import { renderJobStatus } from './job-status.ts';

const JOB_END_LINES = 20;
const JOB_END_BYTES = 4 * 1024;

/** Builds the notification about the end of a job, with its status and last output lines. */
export async function toJobEnd(run: StoredRun, mask: SecretMask): Promise<JobEnd> {
  const job = toJobInfo(run);
  const name = `artifact://${run.id}`;
  const { text } = await readLastOutputLines(
    { directory: run.directory, stream: 'out' },
    { name, mask, lines: JOB_END_LINES, maxBytes: JOB_END_BYTES },
  );
  const shown = text.trim() === '' ? '(no output)' : text.replace(/\n$/, '');
  return { job, text: `${renderJobStatus(job)}\n\n${shown}\n\nFull output: ${name}` };
}

interface LastOutputLinesOptions {
  /** `artifact://<id>` */
  readonly name: string;
  readonly lines: number;
  readonly maxBytes: number;
  readonly mask: SecretMask;
}

/** The last lines of an output. */
interface LastOutputLines {
  readonly text: string;
  readonly totalBytes: number;
  /** Line numbers of the text; empty when the output is too long to count its lines. */
  readonly lines: readonly LineRange[];
  readonly notes: readonly string[];
}

/** Line numbers require reading the whole output; longer outputs get none. */
const MAX_NUMBERED_BYTES = 16 * 1024 * 1024;

/** Reads the last lines of an output. Reads at most 16 MiB, whatever the size of the output. */
export async function readLastOutputLines(
  location: StreamLocation,
  options: LastOutputLinesOptions,
): Promise<LastOutputLines> {
  const { name, lines, maxBytes, mask } = options;
  const source = rawOutputFromFiles(location);
  const { totalBytes } = source;
  const artifact = new Artifact({ source, name, mask, maxBytes });
  if (totalBytes <= MAX_NUMBERED_BYTES) return { ...(await artifact.tail(lines)), totalBytes };
  const { text, notes } = await artifact.text({ from: totalBytes - maxBytes, to: totalBytes });
  // The first line is probably incomplete.
  const whole = text.slice(text.indexOf('\n') + 1);
  const shown = whole.split(/(?<=\n)/).slice(-lines);
  return { text: shown.join(''), totalBytes, lines: [], notes };
}
