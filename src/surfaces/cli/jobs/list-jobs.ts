import type { JobInfo, JobLook, Jobs } from '../../../index.ts';
import { toJobRow } from '../../table/job-row.ts';
import { renderTable } from '../../table/render-table.ts';
import { usageError } from '../args/flag.ts';
import { print } from '../print.ts';
import type { JobFlags } from './job-flags.ts';

const TITLES = ['ID', 'STATE', 'PID', 'AGE', 'CPU', 'MEMORY', 'PORTS', 'NAME', 'LAST LINE'];

/** All jobs, newest first. What they use and print is looked up only for those that run. */
export async function listJobs(jobs: Jobs, flags: JobFlags, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw usageError(`jobs list takes no words, got ${JSON.stringify(words[0])}.`);
  const found = jobs.list().filter(({ state }) => !flags.running || state === 'running');
  const running = found.filter(({ state }) => state === 'running').map(({ id }) => id);
  const looks = running.length === 0 ? new Map<string, JobLook>() : (await jobs.watch()).look(running);
  if (flags.json) {
    print(`${JSON.stringify(found.map((job) => ({ ...job, ...looks.get(job.id) })))}\n`);
  } else if (found.length > 0) {
    const rows = found.map((job) => toCells(job, looks.get(job.id)));
    print(`${renderTable([TITLES, ...rows])}\n`);
  }
  return 0;
}

function toCells(job: JobInfo, look: JobLook | undefined): string[] {
  const { id, state, age, cpu, memory, ports, name, lastLine } = toJobRow(job, look);
  return [id, state, String(job.pid ?? '-'), age, cpu, memory, ports, name, lastLine];
}
