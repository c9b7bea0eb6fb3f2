import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Directories of jobs that are over, as their supervisors leave them, without the index. */
export function makeEndedRuns(state, count) {
  const from = Date.now() - 3_600_000;
  for (let number = 0; number < count; number += 1) {
    const startedAt = from + number;
    const id = `${startedAt.toString(36)}${`${number}`.padStart(6, '0')}`;
    const directory = join(state, 'runs', id);
    const command = `npm test -- --run part-${number}`;
    const asked = {
      session: 'bench',
      profile: 'agent',
      command,
      label: command,
      cwd: '/home/ada/app',
      timeoutMs: 300_000,
      background: true,
      completionLine: true,
      input: 'empty',
      service: null,
    };
    const write = (name, text) => writeFileSync(join(directory, name), text);
    mkdirSync(directory, { recursive: true });
    write('run.json', JSON.stringify({ ...asked, id, startedAt }));
    write('ending', `${`exited ${number % 3} - 0 ${startedAt / 1_000 + 1} -`.padEnd(250)}.\n`);
    write('who', 'supervisor 29258 58060\ncommand 29259 58061\nboot another\n');
    write('out', 'done\n');
    write('background.log', 'done\n\n\n[background process completed]\n');
    for (const name of ['gone', 'told']) write(name, '');
  }
}
