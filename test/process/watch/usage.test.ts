import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { readKernelUnits, UsageMeter } from '../../../src/engine/watch/usage-meter.ts';

async function startReady(script: string): Promise<number> {
  const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

test('a process that computes uses a processor, one that sleeps does not', async () => {
  const busy = await startReady('echo ready; while :; do :; done');
  const idle = await startReady('echo ready; exec sleep 1000');
  const [busyMeter, idleMeter] = [new UsageMeter(), new UsageMeter()];
  expect(busyMeter.measure([busy]).cpu).toBeNull();
  idleMeter.measure([idle]);
  await expect
    .poll(() => busyMeter.measure([busy]).cpu ?? 0, { timeout: 20_000, interval: 100 })
    .toBeGreaterThan(0.2);
  expect(idleMeter.measure([idle]).cpu).toBeLessThan(0.2);
});

test('memory equals what the process reports about itself', () => {
  const { residentBytes, processes } = new UsageMeter().measure([process.pid]);
  const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[1]);
  const { pageBytes } = readKernelUnits();
  expect(processes).toBe(1);
  expect(Math.abs(residentBytes - pages * pageBytes)).toBeLessThan(32 * 1024 * 1024);
  expect(Math.abs(residentBytes - process.memoryUsage.rss())).toBeLessThan(64 * 1024 * 1024);
});
