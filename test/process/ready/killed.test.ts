import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { RunStore, type StoredRun } from '../../../src/engine/run/record/store.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';

const place = mkdtempSync(join(tmpdir(), 'nacre-test-'));
afterAll(() => removeDirectory(place));

/** The run of a program that was killed right after it had sent the command; tried again where no shell was ready for it. */
async function killedIn(name: string, { command, timeout }: { command: string; timeout: number }) {
  const script = join(import.meta.dirname, '../../helpers/killed-caller.mjs');
  for (let attempt = 0; attempt < 20; attempt++) {
    const state = join(place, `${name}-${attempt}`);
    const caller = spawn(process.execPath, [script, state, String(timeout), command], { stdio: 'inherit' });
    const signal = await new Promise((resolve) => caller.on('exit', (_, by) => resolve(by)));
    if (signal === 'SIGKILL') return state;
  }
  throw new Error('no shell was ready for it');
}

function ended(state: string): Promise<StoredRun> {
  const store = new RunStore(state);
  return vi.waitFor(
    () => {
      const [run] = store.list();
      if (run?.state.kind !== 'ended') throw new Error(`not over: ${JSON.stringify(run?.state)}`);
      return run;
    },
    { timeout: 30_000, interval: 20 },
  );
}

test('a caller that is killed before its directory has moved loses no ending and no output', async () => {
  const state = await killedIn('ends', { command: 'echo kept; exit 3', timeout: 100 });
  const { state: how, directory, asked } = await ended(state);
  expect(how).toMatchObject({ kind: 'ended', ending: { kind: 'exited', exitCode: 3 } });
  expect(asked.command).toBe('echo kept; exit 3');
  await vi.waitFor(() => expect(readFileSync(join(directory, 'out'), 'utf8')).toBe('kept\n'), {
    timeout: 20_000,
  });
  await vi.waitFor(() => expect(readdirSync(join(state, 'ready'))).toEqual([]), { timeout: 20_000 });
});

test('the limit of its command holds', async () => {
  const state = await killedIn('limit', { command: 'sleep 1000', timeout: 1 });
  expect((await ended(state)).state).toMatchObject({ ending: { kind: 'stopped', reason: 'timeout' } });
});
