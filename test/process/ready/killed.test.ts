import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { RunStore, type StoredRun } from '../../../src/engine/run/run-store.ts';
import { createBash } from '../../../src/tool/call/bash.ts';
import { findMarked } from '../../helpers/local.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';

const place = mkdtempSync(join(tmpdir(), 'nacre-test-'));
afterAll(() => removeDirectory(place));

interface Killed {
  readonly state: string;
  readonly marker: string;
}

/** A program that was killed at a moment of a call; tried again where no shell was ready for it. */
async function killedAt(moment: string, command: string, timeout = 100): Promise<Killed> {
  const script = join(import.meta.dirname, '../../helpers/killed-caller.mjs');
  for (let attempt = 0; attempt < 20; attempt++) {
    const state = mkdtempSync(join(place, `${moment}-`));
    const value = randomUUID();
    const caller = spawn(process.execPath, [script, state, String(timeout), moment, command], {
      env: { ...process.env, NACRE_TEST_MARKER: value },
      stdio: 'inherit',
    });
    const signal = await new Promise((resolve) => caller.on('exit', (_, by) => resolve(by)));
    if (signal === 'SIGKILL') return { state, marker: `NACRE_TEST_MARKER=${value}` };
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

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

async function nothingIsLeft({ state, marker }: Killed): Promise<void> {
  const look = (): unknown => [findMarked(marker), namesIn(join(state, 'ready'))];
  await vi.waitFor(() => expect(look()).toEqual([[], []]), { timeout: 20_000, interval: 20 });
}

test.each(['limits', 'record'])(
  'a caller that is killed before there is a record of its call leaves nothing: %s',
  async (moment) => {
    const killed = await killedAt(moment, 'echo never');
    await nothingIsLeft(killed);
    expect(namesIn(join(killed.state, 'runs'))).toEqual([]);
  },
);

test('one that is killed before it has sent the command leaves a run that never began', async () => {
  const killed = await killedAt('text', 'echo never');
  const { state, asked } = await ended(killed.state);
  expect(state).toMatchObject({
    ending: { kind: 'lost', why: 'its caller was killed before the command began' },
  });
  expect(asked.command).toBe('echo never');
  await nothingIsLeft(killed);
});

test.each(['sent', 'moved', 'running', 'goodbye'])(
  'one that is killed later loses no ending, and no output without a word: %s',
  async (moment) => {
    const command = moment === 'running' ? 'echo a; sleep 0.2; echo kept; exit 3' : 'echo kept; exit 3';
    const killed = await killedAt(moment, command);
    const { state, directory, asked } = await ended(killed.state);
    expect(state).toMatchObject({ kind: 'ended', ending: { kind: 'exited', exitCode: 3 } });
    expect(asked.command).toBe(command);
    await nothingIsLeft(killed);
    const [text, said] = ['out', 'ending'].map((name) => readFileSync(join(directory, name), 'utf8'));
    // What it had read and not yet written is gone with it, and the ending says so.
    if (!text?.endsWith('kept\n')) expect(said).toContain('caller_gone');
    expect(
      namesIn(directory).filter((name) => /^(?:spec|waiter|message|drains|draining|call)$/.test(name)),
    ).toEqual([]);
  },
);

test('the limit of its command holds', async () => {
  const killed = await killedAt('sent', 'sleep 1000', 1);
  expect((await ended(killed.state)).state).toMatchObject({ ending: { kind: 'stopped', reason: 'timeout' } });
  await nothingIsLeft(killed);
});

test('where everybody was killed with it, the next program finds the run, and clears away what is none', async () => {
  const killed = await killedAt('all', 'sleep 2; exit 3');
  const ready = join(killed.state, 'ready');
  const [id = ''] = namesIn(ready);
  const open = async (): Promise<void> => {
    const bash = createBash({ stateDirectory: killed.state, readyShells: 1, shellState: false });
    await vi.waitFor(() => expect(namesIn(ready).some((name) => name !== id)).toBe(true), {
      timeout: 20_000,
    });
    await bash.close();
  };
  // It might be in the making.
  await open();
  expect(namesIn(ready)).toEqual([id]);
  utimesSync(join(ready, id), 1, 1);
  await open();
  await nothingIsLeft(killed);
  const run = new RunStore(killed.state).find(id);
  expect(run?.asked.command).toBe('sleep 2; exit 3');
  expect(run?.state).toMatchObject({ kind: 'ended', ending: { kind: 'lost' } });
});
