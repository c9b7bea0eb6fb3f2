/**
 * What live jobs cost the program that started them: memory, processor time, and how much later a foreground `true` answers
 * beside them; how long it takes to start and to end them all; and to list ten thousand that are over.
 *
 * `npm run bench:jobs` writes docs/benchmarks-jobs.md, in about four minutes; `node --expose-gc bench/jobs.mjs --jobs 100
 * --seconds 5` only prints. A thousand jobs are five thousand processes and keep a part of the machine busy by themselves, so
 * the same jobs started by another program stand beside: what is left of the difference is what it costs to have started
 * them. What prints the ten lines is a C program of a few system calls a line; without a compiler it is a loop of builtins in
 * bash, which costs three times as much. (A `sleep 0.1` in each would be ten thousand new processes a second.)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createBash, openJobs } from '../dist/index.js';
import { makeEndedRuns } from './lib/ended-runs.mjs';
import { median, ms, rest, table, times } from './lib/measure.mjs';

const OWN = fileURLToPath(import.meta.url);
const PAGE = fileURLToPath(new URL('../docs/benchmarks-jobs.md', import.meta.url));
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    calls: { type: 'string', default: '100' },
    ended: { type: 'string', default: '10000' },
    write: { type: 'boolean', default: false },
    /** Only starts the jobs, in this state directory, and ends. */
    start: { type: 'string' },
    /** Only lists those of this state directory, and says how long that took. */
    list: { type: 'string' },
  },
});
const [jobs, seconds, calls, ended] = [values.jobs, values.seconds, values.calls, values.ended].map(Number);

const WRITER = fileURLToPath(new URL('./lib/ten-lines.c', import.meta.url));
const BUILTINS =
  'exec 9<> <(:); while :; do echo "a line of about forty characters, $SECONDS"; read -rt 0.1 -u 9; done';

/** So many calls are under way at once while jobs are started. */
const AT_ONCE = 4;

/** A bench that hangs must not leave a thousand jobs behind. */
const LONGEST_MS = 10 * 60_000;

if (values.start !== undefined) await startElsewhere(values.start);
else if (values.list !== undefined) timeList(values.list);
else await main();

async function main() {
  const place = mkdtempSync(join(tmpdir(), 'nacre-bench-jobs-'));
  const writer = compileWriter(place);
  const giveUp = (why) => {
    console.error(`bench: ${why}; ending what was started`);
    void clear(place).then(() => process.exit(1));
  };
  const timer = setTimeout(giveUp, LONGEST_MS, `not done after ${LONGEST_MS / 60_000} minutes`).unref();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => giveUp(signal));
  try {
    const live = await measureLive(place);
    say('listing');
    const listed = measureLists(place);
    const page = render(live, { listed, writer });
    console.log(page);
    if (values.write) writeFileSync(PAGE, page);
  } finally {
    clearTimeout(timer);
    await clear(place);
  }
}

function say(what) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
}

/** Nobody is left, whatever happened. */
async function clear(place) {
  for (const name of ['own', 'elsewhere'])
    await endAll(openJobs({ stateDirectory: join(place, name), session: null }));
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Returns what it is: the state directories lie beside it. */
function compileWriter(place) {
  const made = spawnSync('gcc', ['-O2', '-o', join(place, 'ten-lines'), WRITER], { stdio: 'ignore' });
  return made.status === 0 ? 'a small C program' : 'a loop in bash';
}

function commandFor(stateDirectory) {
  const program = join(stateDirectory, '..', 'ten-lines');
  return existsSync(program) ? `exec ${program}` : BUILTINS;
}

/** Nothing, our own jobs, nothing, somebody else's, nothing: a machine that grows slower is seen. */
async function measureLive(place) {
  const [ownState, elsewhere] = [join(place, 'own'), join(place, 'elsewhere')];
  const bash = open(ownState);
  await warmUp(bash);
  say('no jobs');
  const alone = [await measure(bash)];
  say(`starting ${jobs}`);
  const startMs = await timed(() => startAll(bash, commandFor(ownState)));
  say('its own jobs');
  const own = await measure(bash);
  say('ending them');
  const endMs = await timed(() => endAll(bash.jobs));
  say('no jobs');
  alone.push(await measure(bash));
  say(`another program starts ${jobs}`);
  spawnSync(process.execPath, [OWN, '--start', elsewhere, '--jobs', `${jobs}`], { stdio: 'inherit' });
  say('jobs of another program');
  const others = await measure(bash);
  say('ending them');
  await endAll(openJobs({ stateDirectory: elsewhere, session: null }));
  say('no jobs');
  alone.push(await measure(bash));
  await bash.close();
  const lowest = (key) => Math.min(...alone.map((each) => each[key]));
  return {
    alone: { ...alone[0], share: lowest('share'), latency: lowest('latency') },
    ...{ own, others, startMs, endMs },
  };
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** A program's memory grows with its first work, whatever that is, to a size at which it stays. */
async function warmUp(bash) {
  for (let call = 0; call < 200; call += 1) await bash.call({ command: 'true' });
  for (let call = 0; call < 200; call += 1) await bash.call({ command: 'true', async: true });
  await endAll(bash.jobs);
}

function open(stateDirectory) {
  return createBash({
    settings: false,
    cwd: tmpdir(),
    session: 'bench',
    stateDirectory,
    async: { maxJobs: jobs + 1 },
    storage: { minFreeBytes: 0 },
    onJobEnd: () => undefined,
  });
}

/** Calling, then resting: the two are measured apart, and memory is that of a program that has worked. */
async function measure(bash) {
  const latencies = [];
  for (let call = -10; call < calls; call += 1) {
    await rest(15);
    const at = performance.now();
    await bash.call({ command: 'true' });
    if (call >= 0) latencies.push(performance.now() - at);
  }
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await rest(50);
  }
  const { rss: memory, heapUsed: heap } = process.memoryUsage();
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await rest(seconds * 1_000);
  const used = process.cpuUsage(cpu);
  const share = (used.user + used.system) / 1_000 / (performance.now() - begin);
  return { memory, heap, share, latency: median(latencies) };
}

async function startAll(bash, command) {
  let left = jobs;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const { error } = await bash.call({ command, async: true });
      if (error !== undefined) throw new Error(error.message);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function startElsewhere(stateDirectory) {
  const bash = open(stateDirectory);
  await startAll(bash, commandFor(stateDirectory));
  await bash.close();
}

/** All at once, as the end of a session does. */
async function endAll(list) {
  const ids = list
    .list()
    .filter(({ state }) => state === 'running')
    .map(({ id }) => id);
  if (ids.length === 0) return;
  await Promise.all(ids.map((id) => list.kill(id, { signal: 'SIGKILL' })));
  await list.wait(ids, { mode: 'all', timeoutMs: 120_000 });
}

/** Each in a program of its own: nothing is warm. */
function measureLists(place) {
  const state = join(place, 'ended');
  makeEndedRuns(state, ended);
  const list = () =>
    Number(
      spawnSync(process.execPath, [OWN, '--list', state, '--ended', `${ended}`], { encoding: 'utf8' }).stdout,
    );
  const first = list();
  return { first, later: median(Array.from({ length: 9 }, list)) };
}

function timeList(stateDirectory) {
  const list = openJobs({ stateDirectory, session: null });
  const begin = performance.now();
  const found = list.list().length;
  const took = performance.now() - begin;
  if (found !== ended) throw new Error(`${found} were found`);
  process.stdout.write(`${took}\n`);
}

function render({ alone, own, others, startMs, endMs }, { listed, writer }) {
  const mib = (bytes) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const percent = (share) => `${(share * 100).toFixed(2)} %`;
  const bash = /version (\S+)/.exec(spawnSync('bash', ['--version'], { encoding: 'utf8' }).stdout)?.[1];
  const rows = [
    [
      'memory of the program',
      mib(alone.memory),
      mib(own.memory),
      mib(others.memory),
      `+${mib(own.memory - alone.memory)}`,
      '≤ +10 MiB',
    ],
    [
      'of that, in objects',
      mib(alone.heap),
      mib(own.heap),
      mib(others.heap),
      `+${mib(own.heap - alone.heap)}`,
      '',
    ],
    [
      'its share of one processor, at rest',
      percent(alone.share),
      percent(own.share),
      percent(others.share),
      '',
      '≤ 0.50 %',
    ],
    [
      'a foreground `true`, median',
      ms(alone.latency),
      ms(own.latency),
      ms(others.latency),
      `${times(own.latency / alone.latency)}; ${times(own.latency / others.latency)} of the same load by others`,
      '≤ 1.20 ×',
    ],
    ['starting one', '', ms(startMs / jobs), '', '', ''],
    ['ending one, all at once', '', ms(endMs / jobs), '', '', ''],
  ];
  const lists = [
    ['as supervisors left it', ms(listed.later), '≤ 100 ms'],
    ['the same when the index was lost', ms(listed.first), ''],
  ];
  return [
    '# Benchmarks: jobs',
    '',
    `Made by \`npm run bench:jobs\` on ${cpus().length} cores, Linux ${release()}, Node ${process.version}, bash ${bash}. Only ratios within a table mean anything elsewhere.`,
    '',
    `## ${jobs} live jobs that print ten lines a second`,
    '',
    `Each prints by ${writer}; ${AT_ONCE} are started at a time, and all of them ended in one step.`,
    '',
    table(['', 'no jobs', 'its own jobs', 'jobs of another program', 'difference', 'goal'], rows),
    '',
    `## Listing ${ended} jobs that are over, in a program that has just started`,
    '',
    table(['', 'median', 'goal'], lists),
    '',
  ].join('\n');
}
