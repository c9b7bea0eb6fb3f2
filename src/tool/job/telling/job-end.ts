import type { Mask } from '../../../engine/output/mask.ts';
import type { StoredRun } from '../../../engine/run/record/store.ts';
import { type JobInfo, toJobInfo } from '../../runs/job-info.ts';
import { readEnd } from '../acting/read-end.ts';
import { renderStatus } from '../status-line.ts';

/** The end of a job, as it is told. */
export interface JobEnd {
  readonly job: JobInfo;
  /** For the model: the status and the exit code on the first line, then the end of what it printed. */
  readonly text: string;
}

/** Enough to see why it failed; the rest can be read. */
const SHOWN_LINES = 20;
const SHOWN_BYTES = 4 * 1024;

export async function toJobEnd(run: StoredRun, mask: Mask): Promise<JobEnd> {
  const job = toJobInfo(run);
  const name = `artifact://${run.id}`;
  const place = { directory: run.directory, stream: 'out' } as const;
  const { text } = await readEnd(place, { name, mask, lines: SHOWN_LINES, maxBytes: SHOWN_BYTES });
  const shown = text.trim() === '' ? '(no output)' : text.replace(/\n$/, '');
  return { job, text: `${renderStatus(job)}\n\n${shown}\n\nAll of its output: ${name}` };
}
