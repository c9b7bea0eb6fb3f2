/** What a run costs: beside a bare spawn, execa and the shell alone. `npm run bench` writes docs/benchmarks.md. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createBash } from '../dist/index.js';
import { interleave, mbs, median, ms, p95, table, times } from './lib/measure.mjs';
import { rawDiscard, rawSpawn, rawToStream, shellOnly, withExeca, withExecaDiscard } from './lib/rivals.mjs';

const GIB = 1024 ** 3;
const place = mkdtempSync(join(tmpdir(), 'nacre-bench-'));
const quick = process.argv.includes('--quick');
const only = process.argv.find((word) => word.startsWith('--only='))?.slice(7);
const open = (storage = {}) =>
  createBash({
    settings: false,
    cwd: place,
    stateDirectory: join(place, 'state'),
    timeoutMs: 600_000,
    storage: { minFreeBytes: 0, ...storage },
  });

const sections = { latency, bytes, reading, keeping, memory, lag, many, stopping, coldStart };
const report = [];
for (const [name, section] of Object.entries(sections)) {
  if (only !== undefined && only !== name) continue;
  const text = await section();
  console.log(`${text}\n`);
  report.push(text);
}
rmSync(place, { recursive: true, force: true });
if (only === undefined) writeReport(report);

async function latency() {
  const bash = open();
  const rows = [];
  for (const command of ['true', 'echo hi', '/bin/true', 'git --version']) {
    const found = await interleave(
      { raw: () => rawSpawn(command), execa: () => withExeca(command), nacre: () => bash.call({ command }) },
      { rounds: quick ? 10 : 60 },
    );
    const [raw, rival, ours] = ['raw', 'execa', 'nacre'].map((name) => found.get(name));
    rows.push([
      `\`${command}\``,
      ms(median(raw)),
      ms(median(rival)),
      ms(median(ours)),
      ms(p95(ours)),
      times(median(raw) / median(ours)),
    ]);
  }
  await bash.close();
  return section(
    'Latency of one call (plain start)',
    table(['command', 'spawn', 'execa 9', 'nacre', 'nacre p95', 'spawn ÷ nacre'], rows),
  );
}

async function bytes() {
  const bash = open();
  const command = 'head -c 1M /dev/zero | tr "\\0" x | fold -w 79';
  const found = await interleave(
    { raw: () => rawSpawn(command), execa: () => withExeca(command), nacre: () => bash.call({ command }) },
    { rounds: quick ? 5 : 30 },
  );
  await bash.close();
  const rows = [...found].map(([name, values]) => [
    name,
    ms(median(values)),
    times(median(found.get('raw')) / median(values)),
  ]);
  return section(
    'One megabyte of text, shown as a model sees it',
    table(['', 'median', 'spawn ÷ this'], rows),
  );
}

async function reading() {
  const bash = open({ maxRunBytes: 0 });
  const size = quick ? GIB / 4 : 2 * GIB;
  const command = `head -c ${size} /dev/zero`;
  const found = await interleave(
    {
      'cmd | cat >/dev/null': () => shellOnly(`${command} | cat >/dev/null`),
      'spawn, data events': () => rawDiscard(command),
      'execa 9, no buffer': () => withExecaDiscard(command),
      'nacre, nothing kept': () => bash.call({ command }),
    },
    { rounds: quick ? 3 : 7, warmup: 1 },
  );
  await bash.close();
  return section('Reading 2 GiB', throughput(found, size, 'cmd | cat >/dev/null'));
}

async function keeping() {
  const bash = open({ maxRunBytes: 8 * GIB, maxTotalBytes: 16 * GIB });
  const size = quick ? GIB / 4 : GIB;
  const command = `head -c ${size} /dev/zero`;
  const file = join(place, 'kept');
  const found = await interleave(
    {
      'cmd > file': () => shellOnly(`${command} >${file}`),
      'spawn + createWriteStream': () => rawToStream(command, file),
      'nacre, kept': async () => {
        const { run } = await bash.call({ command });
        await bash.artifacts.remove?.(run.runId);
        rmSync(join(place, 'state/runs', run.runId), { recursive: true, force: true });
      },
    },
    { rounds: quick ? 3 : 7, warmup: 1 },
  );
  await bash.close();
  return section('Keeping 1 GiB on disk', throughput(found, size, 'cmd > file'));
}

function throughput(found, size, base) {
  const rows = [...found].map(([name, values]) => [
    name,
    mbs(size, median(values)),
    times(median(found.get(base)) / median(values)),
  ]);
  return table(['', 'median', `share of \`${base}\``], rows);
}

async function memory() {
  const bash = open({ maxRunBytes: 64 * 1024 ** 2 });
  const size = quick ? GIB : 10 * GIB;
  await bash.call({ command: 'head -c 256M /dev/zero' });
  global.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  await bash.call({ command: `head -c ${size} /dev/zero` });
  clearInterval(look);
  await bash.close();
  return section(
    'Memory while 10 GiB pass',
    `${((peak - before) / 1e6).toFixed(1)} MB more at the peak than before (${(before / 1e6).toFixed(0)} MB).`,
  );
}

async function lag() {
  const bash = open();
  const command = `yes 'a line of text that is long enough to look like a log' | head -c ${quick ? GIB / 4 : GIB}`;
  const measure = async (work) => {
    const histogram = monitorEventLoopDelay({ resolution: 2 });
    histogram.enable();
    await work();
    histogram.disable();
    return histogram.percentile(99) / 1e6 - 2;
  };
  const rows = [];
  for (const [name, work] of [
    ['nacre, kept', () => bash.call({ command })],
    ['spawn, data events', () => rawDiscard(command)],
    ['execa 9, no buffer', () => withExecaDiscard(command)],
  ])
    rows.push([name, ms(Math.max(0, await measure(work)))]);
  await bash.close();
  return section('Lag of a 2 ms timer while text passes at full speed, p99', table(['', 'p99'], rows));
}

async function many() {
  const bash = open();
  const count = 200;
  const all = (start) => Promise.all(Array.from({ length: count }, (_, index) => start(`echo ${index}`)));
  const found = await interleave(
    {
      raw: () => all(rawSpawn),
      execa: () => all(withExeca),
      nacre: () => all((command) => bash.call({ command })),
    },
    { rounds: quick ? 2 : 5, warmup: 1 },
  );
  await bash.close();
  const rows = [...found].map(([name, values]) => [
    name,
    ms(median(values)),
    times(median(found.get('raw')) / median(values)),
  ]);
  return section(`${count} calls at once, all done`, table(['', 'median', 'spawn ÷ this'], rows));
}

async function stopping() {
  const bash = open();
  const stop = async (command, rounds) => {
    const found = [];
    for (let round = 0; round < rounds; round++) {
      const controller = new AbortController();
      const kill = new AbortController();
      let begin = 0;
      const onBytes = (_, chunk) => {
        if (!chunk.includes('ready') || begin !== 0) return;
        setTimeout(() => {
          begin = performance.now();
          (command.includes('seq') ? kill : controller).abort();
        }, 50);
      };
      await bash
        .call({ command }, { signal: controller.signal, killSignal: kill.signal, onBytes })
        .catch(() => undefined);
      found.push(performance.now() - begin);
    }
    return found;
  };
  const small = await stop('echo ready; sleep 1000', quick ? 10 : 60);
  const tree =
    'for i in $(seq 900); do sleep 1000 & done; for i in $(seq 100); do setsid sleep 1000 & done; echo ready; wait';
  const large = await stop(tree, quick ? 2 : 8);
  await bash.close();
  const rows = [
    ['one command, TERM', ms(median(small)), ms(p95(small))],
    ['1,000 processes, 100 of them in sessions of their own, KILL', ms(median(large)), ms(p95(large))],
  ];
  return section('From the abort to the result, tree gone', table(['', 'median', 'p95'], rows));
}

async function coldStart() {
  const env = { ...process.env, XDG_STATE_HOME: join(place, 'cold') };
  delete env.NODE_EXTRA_CA_CERTS;
  const nacre = join(import.meta.dirname, '../bin/nacre.cjs');
  const run = (args) => () =>
    new Promise((resolve) => spawn(process.execPath, args, { env, stdio: 'ignore' }).on('close', resolve));
  const empty = join(place, 'empty.mjs');
  const bare = join(place, 'bare.mjs');
  writeFileSync(empty, '');
  writeFileSync(
    bare,
    `import { spawn } from 'node:child_process'; spawn('/bin/bash', ['-c', 'true'], { stdio: 'inherit' });`,
  );
  const found = await interleave(
    {
      'empty program': run([empty]),
      'program that spawns `bash -c true`': run([bare]),
      '`nacre run true`': run([nacre, 'run', 'true']),
    },
    { rounds: quick ? 8 : 30 },
  );
  const base = median(found.get('program that spawns `bash -c true`'));
  const rows = [...found].map(([name, values]) => [name, ms(median(values)), times(median(values) / base)]);
  return section('Cold start of the command line', table(['', 'median', 'of the program that spawns'], rows));
}

function section(title, body) {
  return `## ${title}\n\n${body}`;
}

function writeReport(parts) {
  const machine = spawnSync('sh', ['-c', 'nproc; uname -r; bash --version | head -1'], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');
  const head = `# Benchmarks\n\nMade by \`npm run bench\` on ${machine[0]} cores, Linux ${machine[1]}, Node ${process.version}, ${machine[2]}. Candidates of a table run interleaved in one process; only ratios within a table mean anything.`;
  // What is said of them is written by hand.
  const page = join(import.meta.dirname, '../docs/benchmarks.md');
  const said = readFileSync(page, 'utf8');
  const notes = said.slice(said.indexOf('## What the figures say')).trimEnd();
  writeFileSync(page, `${[head, ...parts, notes].join('\n\n')}\n`);
}
