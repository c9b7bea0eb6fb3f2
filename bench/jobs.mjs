/**
 * What live jobs cost the program that started them: its memory and its processor time, and how much later a foreground
 * `true` answers beside them. `node --expose-gc bench/jobs.mjs [--jobs 1000] [--seconds 20]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBash } from '../dist/index.js';
import { median, ms, rest, table, times } from './lib/measure.mjs';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    calls: { type: 'string', default: '60' },
  },
});
const [jobs, seconds, calls] = [values.jobs, values.seconds, values.calls].map(Number);
const TEN_LINES_A_SECOND = 'while :; do echo "a line of about forty characters, $SECONDS"; sleep 0.1; done';

const place = mkdtempSync(join(tmpdir(), 'nacre-bench-jobs-'));
const bash = createBash({
  cwd: place,
  stateDirectory: join(place, 'state'),
  async: { maxJobs: jobs },
  storage: { minFreeBytes: 0 },
});

try {
  const before = await measure();
  const startMs = await startAll();
  const beside = await measure();
  console.log(render(before, beside, startMs));
} finally {
  await endAll();
  await bash.close();
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Calling, then resting: the two are measured apart, and memory is that of a program that has worked. */
async function measure() {
  const latencies = [];
  for (let call = -3; call < calls; call += 1) {
    await rest(15);
    const at = performance.now();
    await bash.call({ command: 'true' });
    if (call >= 0) latencies.push(performance.now() - at);
  }
  globalThis.gc?.();
  const memory = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await rest(seconds * 1_000);
  const used = process.cpuUsage(cpu);
  const share = (used.user + used.system) / 1_000 / (performance.now() - begin);
  return { memory, share, latency: median(latencies) };
}

async function startAll() {
  const begin = performance.now();
  for (let started = 0; started < jobs; started += 1) {
    const { error } = await bash.call({ command: TEN_LINES_A_SECOND, async: true });
    if (error !== undefined) throw new Error(error.message);
  }
  return performance.now() - begin;
}

/** In portions: each of them is a walk over all processes. */
async function endAll() {
  const running = bash.jobs.list().filter(({ state }) => state === 'running');
  for (let at = 0; at < running.length; at += 20) {
    await Promise.all(running.slice(at, at + 20).map(({ id }) => bash.jobs.kill(id, { signal: 'SIGKILL' })));
  }
  await bash.jobs.wait(
    running.map(({ id }) => id),
    { mode: 'all', timeoutMs: 60_000 },
  );
}

function render(before, beside, startMs) {
  const mib = (bytes) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const percent = (share) => `${(share * 100).toFixed(2)} %`;
  const rows = [
    [
      'memory of the program',
      mib(before.memory),
      mib(beside.memory),
      `+${mib(beside.memory - before.memory)}`,
      '≤ +10 MiB',
    ],
    ['its share of one processor', percent(before.share), percent(beside.share), '', '≤ 0.5 %'],
    [
      'a foreground `true`',
      ms(before.latency),
      ms(beside.latency),
      times(beside.latency / before.latency),
      '≤ 1.2 ×',
    ],
    ['starting one job', '', ms(startMs / jobs), '', ''],
  ];
  return `${jobs} live jobs that print ten lines a second\n\n${table(['', 'without', 'with', 'difference', 'goal'], rows)}`;
}
