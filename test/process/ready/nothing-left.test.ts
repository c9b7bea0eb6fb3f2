import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createBash } from '../../../src/tool/call/bash.ts';
import { findMarked } from '../../helpers/local.ts';
import { waiting } from '../../helpers/ready.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';

const place = mkdtempSync(join(tmpdir(), 'nacre-test-'));
afterAll(() => removeDirectory(place));

/** Everybody who works in a directory or below it, marked or not. */
function inside(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
      } catch {
        return false;
      }
    });
}

async function startCaller(state: string, calls: number) {
  const value = randomUUID();
  const script = join(import.meta.dirname, '../../helpers/ready-caller.mjs');
  const caller = spawn(process.execPath, [script, state, String(calls)], {
    env: { ...process.env, NACRE_TEST_MARKER: value },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => caller.stdout.once('data', resolve));
  return { caller, marker: `NACRE_TEST_MARKER=${value}` };
}

test.each([0, 2])(
  'a program that is killed after %i calls leaves no shell and no directory',
  async (calls) => {
    const state = join(place, `killed-${calls}`);
    const { caller, marker } = await startCaller(state, calls);
    // The two shells, and the small one that makes them; the supervisors have its environment, too.
    expect(findMarked(marker).length).toBeGreaterThanOrEqual(3);
    caller.kill('SIGKILL');
    await vi.waitFor(() => expect(findMarked(marker)).toEqual([]), { timeout: 20_000, interval: 20 });
    await vi.waitFor(() => expect(readdirSync(join(state, 'ready'))).toEqual([]), { timeout: 20_000 });
    expect(calls === 0 || readdirSync(join(state, 'runs')).length === calls).toBe(true);
  },
);

test('a shell whose start never ends goes with its program, and so does what keeps it', async () => {
  const state = join(place, 'never');
  const [file, mark] = [join(place, 'never.sh'), `NACRE_TEST_MARKER=${randomUUID()}`];
  writeFileSync(file, `export ${mark}; while :; do sleep 1000; done\n`);
  const bash = createBash({
    stateDirectory: state,
    readyShells: 2,
    shellState: false,
    env: { BASH_ENV: file },
  });
  await vi.waitFor(() => expect(findMarked(mark).length).toBeGreaterThan(0), { timeout: 20_000 });
  await bash.close();
  await vi.waitFor(() => expect(findMarked(mark)).toEqual([]), { timeout: 20_000, interval: 20 });
  await vi.waitFor(() => expect(readReady(state)).toEqual([]), { timeout: 20_000 });
});

test('closing leaves no shell and no directory, at whatever moment it comes', async () => {
  for (const pauseMs of [0, 11, 14, 20, 40, 150]) {
    const state = join(place, `closed-${pauseMs}`);
    const bash = createBash({ stateDirectory: state, readyShells: 2 });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await bash.close();
    expect(inside(state)).toEqual([]);
    expect(readReady(state)).toEqual([]);
  }
});

test('a program that ends by itself is not held up by shells that wait', async () => {
  const state = join(place, 'ends');
  const script = `import { createBash } from '${join(import.meta.dirname, '../../../dist/index.js')}';
    createBash({ stateDirectory: ${JSON.stringify(state)} });
    setTimeout(() => undefined, 200);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  await vi.waitFor(() => expect(readReady(state)).toEqual([]), { timeout: 20_000 });
});

test('what somebody killed while it waited is not used, and is swept away later', async () => {
  const state = join(place, 'swept');
  const bash = createBash({ stateDirectory: state, readyShells: 1 });
  await vi.waitFor(() => expect(waiting(state)).toHaveLength(1), { timeout: 20_000 });
  const [id = ''] = waiting(state);
  const [, supervisor = ''] =
    /supervisor (\d+)/.exec(readFileSync(join(state, 'ready', id, 'who'), 'latin1')) ?? [];
  process.kill(Number(supervisor), 'SIGKILL');
  const { run } = await bash.call({ command: 'echo alive' });
  expect(run).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'alive\n' } });
  await bash.close();
});

function readReady(state: string): string[] {
  try {
    return readdirSync(join(state, 'ready'));
  } catch {
    return [];
  }
}
