import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Row, span, spread } from '../screen/row.ts';

export interface StatusFacts {
  /** Where commands run; `null`: on this machine. */
  readonly host: string | null;
  readonly cwd: string;
  readonly home: string;
  readonly branch: string | null;
  readonly liveJobs: number;
  readonly running: number;
  readonly questions: number;
}

/** The last row: where we are on the left, what is going on on the right. */
export function renderStatus(facts: StatusFacts, columns: number): Row {
  const { host, cwd, home, branch, liveJobs, running, questions } = facts;
  const place =
    home !== '' && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
  const left: Row = [
    ...(host === null ? [] : [span(`   ${host}`, 'key')]),
    span(`   ${place}`, 'status'),
    ...(branch === null ? [] : [span(`  ⎇ ${branch}`, 'status')]),
  ];
  const news: Row = [
    ...(questions > 0 ? [span(`${questions} asked   `, 'alert')] : []),
    ...(running > 0 ? [span(`${running} running   `, 'key')] : []),
    ...(liveJobs > 0 ? [span(`${liveJobs} ${liveJobs === 1 ? 'job' : 'jobs'}   `, 'key')] : []),
    span('/help ', 'status'),
  ];
  return spread(left, news, columns);
}

/** The branch that is checked out where we are, read from the files: no program is started for it. */
export function readBranch(cwd: string): string | null {
  const git = findGit(cwd);
  if (git === null) return null;
  try {
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim();
    return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : head.slice(0, 8);
  } catch {
    return null;
  }
}

function findGit(cwd: string): string | null {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, '.git');
    try {
      if (statSync(path).isDirectory()) return path;
      // A worktree or a submodule: a file that says where.
      const [, target] = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
      return target === undefined ? null : resolve(directory, target);
    } catch {
      if (dirname(directory) === directory) return null;
    }
  }
}
