import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ProcReader } from '../../../src/engine/process/proc-reader.ts';
import { LocalProcessTree, signalProcess } from '../../../src/engine/process/process-tree.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { signalRun, stopRun } from '../../../src/engine/run/stop-run.ts';
import { SUPERVISOR_SCRIPTS } from '../../../src/engine/run/supervisor.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { startReady, start, state } = useLocalHost(0);

/** A process of no run, leader of its group and session; its descriptor 4 is a pipe, as the input of a run would be. */
async function startStranger(): Promise<{ pid: number; startTime: number; death: () => string | null }> {
  const child = spawn('/bin/bash', ['-c', 'exec 4<> <(:); echo ready; exec sleep 1000'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  const { pid = 0 } = child;
  const startTime = new ProcReader().stat(pid)?.startTime ?? 0;
  return { pid, startTime, death: () => child.signalCode };
}

/** Signals arrive in order of sending: a stranger that stops for this one has received no deadly one before. */
async function expectUnharmed({ pid, death }: Awaited<ReturnType<typeof startStranger>>): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await expect.poll(() => death() ?? new ProcReader().stat(pid)?.state, { timeout: 30_000 }).toBe('T');
}

test('a group is signalled only while its number is that of the command', async () => {
  const stranger = await startStranger();
  const root = { id: 'no-such-run', pid: stranger.pid, supervisor: 0, pipes: [] };
  for (const command of [stranger.startTime - 1, 0])
    new LocalProcessTree({ ...root, startTimes: { command, supervisor: 0 } }).signalGroup('SIGKILL');
  signalProcess({ pid: stranger.pid, startTime: stranger.startTime - 1 }, 'SIGKILL');
  signalProcess({ pid: stranger.pid, startTime: 0 }, 'SIGKILL');
  await expectUnharmed(stranger);
  const startTimes = { command: stranger.startTime, supervisor: 0 };
  new LocalProcessTree({ ...root, startTimes }).signalGroup('SIGKILL');
  await expect.poll(stranger.death, { timeout: 30_000 }).toBe('SIGKILL');
});

test.each(['', ' 1'])(
  'the end of an input is not sent to a process with its number, recorded with "%s"',
  async (time) => {
    const stranger = await startStranger();
    const { run } = await startReady('echo ready; cat', { input: { kind: 'open' } });
    const file = join(run.directory, 'listener');
    await expect.poll(() => readFileSync(file, 'latin1'), { timeout: 30_000 }).toMatch(/^\d+ \d+\n$/);
    const listener = readFileSync(file);
    writeFileSync(file, `${stranger.pid}${time}\n`);
    await expect(run.endInput()).rejects.toMatchObject({ code: 'input_closed' });
    await expect(run.send('x')).rejects.toMatchObject({ code: 'input_closed' });
    await expectUnharmed(stranger);
    writeFileSync(file, listener);
    await run.endInput();
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
  },
);

test('a record of before a restart of the machine names no process', async () => {
  const stranger = await startStranger();
  const { run } = await start('true', { watcher: 'nobody' });
  await run.ended;
  const { pid, startTime } = stranger;
  writeFileSync(
    join(run.directory, 'who'),
    `supervisor 4194303 1\ncommand ${pid} ${startTime}\nboot another-boot\n`,
  );
  const stored = new RunStore(state).find(run.id);
  if (stored === null) throw new Error(`no run ${run.id}`);
  expect(await signalRun(stored, { signal: 'SIGKILL' })).toBe(0);
  expect(await stopRun(stored, { graceMs: 1 })).toEqual([]);
  await expectUnharmed(stranger);
});

test('a supervisor neither counts nor signals a process that has taken over a number', async () => {
  const stranger = await startStranger();
  const script = `nacre_only_functions=1
. ${SUPERVISOR_SCRIPTS[0]}
. ${SUPERVISOR_SCRIPTS[1]}
nacre_id=no-such-run nacre_boot=none nacre_mine=0 nacre_grace=1
nacre_pid=${stranger.pid}
nacre_born=${stranger.startTime}; nacre_members; echo "same:$nacre_found"
nacre_born=1; nacre_members; echo "other:$nacre_found"
nacre_signal_process KILL ${stranger.pid} 1 || echo refused`;
  // The walk over all processes is written two levels above the working directory.
  const cwd = join(state, 'runs', 'none');
  mkdirSync(cwd, { recursive: true });
  const child = spawn('/bin/bash', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  expect(text).toBe(`same: ${stranger.pid}\nother:\nrefused\n`);
  await expectUnharmed(stranger);
});
