import { badInputError, type FieldSchema } from '../contract/input-schema.ts';
import { findHostConfig } from '../hosts/find-host.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';

/** A job array: a cluster runs the command once for each task number. */
export interface SlurmArrayRequest {
  /** Value of `sbatch --array`. */
  readonly spec: string;
  /** Task numbers in the order of the text. */
  readonly tasks: readonly number[];
}

/** Highest task number of Slurm, whose `MaxArraySize` is at most 4000001. */
const MAX_TASK_NUMBER = 4_000_000;

/** Whether calls may request a job array: the host is a cluster and jobs are enabled. */
export function offersSlurmArrays({
  host,
  hosts,
  async,
}: Pick<ResolvedOptions, 'host' | 'hosts' | 'async'>): boolean {
  return async.enabled && typeof host === 'string' && findHostConfig(host, hosts)?.type === 'slurm';
}

export const ARRAY_FIELD: FieldSchema = {
  type: 'string',
  description:
    'Run the command once for each of these numbers, as an array of the cluster: "0-15", "1,3,7-9", "0-99:10", "0-31%4" (4 at once). It finds its number in SLURM_ARRAY_TASK_ID. Each is a job with an id of its own; returns at once',
};

/**
 * Parses the value of `array`.
 *
 * @throws {NacreError} `bad_input` for an invalid value or for more tasks than jobs are allowed
 */
export function parseSlurmArray(text: string, maxJobs: number): SlurmArrayRequest {
  const [, list = '', atOnce] = /^([\d,:-]+?)(?:%(\d+))?$/.exec(text) ?? [];
  const tasks = list.split(',').flatMap((part) => parseTaskRange(part, text));
  if (atOnce !== undefined && Number(atOnce) < 1) throw invalidArrayError(text);
  const all = [...new Set(tasks)];
  if (all.length > maxJobs)
    throw badInputError(
      'array',
      `names ${all.length} tasks, and there may be ${maxJobs} jobs (async.maxJobs)`,
    );
  return { spec: text, tasks: all };
}

function parseTaskRange(part: string, text: string): number[] {
  const [whole, first = '', last = first, step = '1'] = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part) ?? [];
  const [from, to, by] = [Number(first), Number(last), Number(step)];
  if (whole === undefined || by < 1 || to < from || to > MAX_TASK_NUMBER) throw invalidArrayError(text);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => from + i * by);
}

function invalidArrayError(text: string): Error {
  return badInputError(
    'array',
    `expected numbers as sbatch takes them, such as 0-15, 1,3,7-9 or 0-31%4, got ${JSON.stringify(text)}`,
  );
}

/** A request for a wider sandbox, with its reason. */
export interface SandboxEscalation {
  readonly preset: 'workspace' | 'workspace+network';
  readonly reason: string;
}

/** Whether calls may request a wider sandbox: the host is a sandbox. */
export function offersSandboxEscalation({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): boolean {
  return typeof host === 'string' && findHostConfig(host, hosts)?.type === 'sandbox';
}

/** Renders the approval question for a wider sandbox. */
export function renderEscalationQuestion({ preset, reason }: SandboxEscalation): string {
  return `This command asks for more than its sandbox gives (${preset}): ${reason.replace(/\s+/g, ' ').trim()}`;
}

export const SANDBOX_FIELD: FieldSchema = {
  type: 'object',
  description:
    'Ask a person to let this one command have more than its sandbox gives; only when it failed for that reason',
  required: ['preset', 'reason'],
  additionalProperties: false,
  properties: {
    preset: {
      type: 'string',
      enum: ['workspace', 'workspace+network'],
      description: 'To write in the working directory, or to reach the network as well',
    },
    reason: { type: 'string', description: 'What it is needed for, in a sentence' },
  },
};
