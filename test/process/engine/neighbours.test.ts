import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findMarked, type LocalBench, useLocalHost, type Watched } from '../../helpers/local.ts';
import { waiting } from '../../helpers/ready.ts';

const NEIGHBOURS = 16;

/** Each closes its own output, so that the caller's end of the pipe is closed while the command runs. */
const SILENT = ['exec >/dev/null 2>&1', 'exec 1>&- 2>&-', 'exec >/dev/null 2>&1', 'exec 1>&- 2>&-'];

const hosts = { 'started for each command': useLocalHost(0), 'kept warm': useLocalHost(2) };

/** Starts a command, in a warm shell where the host keeps some. */
async function startNext({ host, state, start }: LocalBench, command: string): Promise<Watched> {
  if (host === hosts['kept warm'].host)
    await vi.waitFor(() => expect(waiting(state)).not.toEqual([]), { timeout: 20_000, interval: 2 });
  return start(command);
}

test.each(Object.entries(hosts))(
  'stopping a command that closed its output leaves other commands alone; shells %s',
  async (_, bench) => {
    const gate = join(bench.state, 'gate');
    const silent = [];
    for (const [index, close] of SILENT.entries()) {
      const marker = join(bench.state, `silent-${index}`);
      silent.push(await startNext(bench, `${close}; : >'${marker}'; sleep 1000`));
      await expect.poll(() => existsSync(marker), { timeout: 30_000, interval: 5 }).toBe(true);
    }
    const neighbours = [];
    for (let index = 0; index < NEIGHBOURS; index++)
      neighbours.push(
        await startNext(bench, `until [[ -e '${gate}' ]]; do sleep 0.1; done; echo "last ${index}"`),
      );
    await Promise.all(silent.map(({ run }) => run.stop('abort', 600_000)));
    for (const { run } of silent) {
      expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'abort', forced: false });
      await expect.poll(() => findMarked(`NACRE_RUN_ID=${run.id}`), { timeout: 30_000 }).toEqual([]);
    }
    writeFileSync(gate, '');
    const ends = await Promise.all(neighbours.map(async ({ run }) => (await run.ended).ending));
    expect(ends).toEqual(neighbours.map(() => ({ kind: 'exited', exitCode: 0 })));
    expect(neighbours.map(({ output }) => output())).toEqual(neighbours.map((_, n) => `last ${n}\n`));
  },
);
