import { badInput } from '../input/check-input.ts';
import type { FieldSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { findHost } from './find-host.ts';

/** A command that a cluster runs once for each of several numbers. */
export interface ArrayRequest {
  /** As `sbatch --array` takes it. */
  readonly spec: string;
  /** Each of them, in the order of the text. */
  readonly tasks: readonly number[];
}

/** More than any cluster takes without being told. */
const HIGHEST_TASK = 4_000_000;

/** Whether calls may ask for one: only of a cluster, and each task is a job. */
export function canArray({ host, hosts, async }: Pick<ResolvedOptions, 'host' | 'hosts' | 'async'>): boolean {
  return async.enabled && typeof host === 'string' && findHost(host, hosts)?.type === 'slurm';
}

export const ARRAY_FIELD: FieldSchema = {
  type: 'string',
  description:
    'Run the command once for each of these numbers, as an array of the cluster: "0-15", "1,3,7-9", "0-99:10", "0-31%4" (4 at once). It finds its number in SLURM_ARRAY_TASK_ID. Each is a job with an id of its own; returns at once',
};

/** Throws `bad_input` for what a cluster would not take, and for more tasks than there may be jobs. */
export function parseArray(text: string, maxJobs: number): ArrayRequest {
  const [, list = '', atOnce] = /^([\d,:-]+?)(?:%(\d+))?$/.exec(text) ?? [];
  const tasks = list.split(',').flatMap((part) => parseRange(part, text));
  if (atOnce !== undefined && Number(atOnce) < 1) throw notAnArray(text);
  const all = [...new Set(tasks)];
  if (all.length > maxJobs)
    throw badInput('array', `names ${all.length} tasks, and there may be ${maxJobs} jobs (async.maxJobs)`);
  return { spec: text, tasks: all };
}

function parseRange(part: string, text: string): number[] {
  const [whole, first = '', last = first, step = '1'] = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part) ?? [];
  const [from, to, by] = [Number(first), Number(last), Number(step)];
  if (whole === undefined || by < 1 || to < from || to > HIGHEST_TASK) throw notAnArray(text);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => from + i * by);
}

function notAnArray(text: string): Error {
  return badInput(
    'array',
    `expected numbers as sbatch takes them, such as 0-15, 1,3,7-9 or 0-31%4, got ${JSON.stringify(text)}`,
  );
}
