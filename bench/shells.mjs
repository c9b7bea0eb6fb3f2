/** What shells that were started ahead are worth, beside spawn, execa and other shells. `npm run bench:shells` writes docs/benchmarks-shells.md. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalHost } from '../dist/engine/hosts/local-host.js';
import { createBash } from '../dist/index.js';
import { interleave, median, ms, p95, rest, table, times } from './lib/measure.mjs';
import { findPeers } from './lib/peers.mjs';
import { rawSpawn, withExeca } from './lib/rivals.mjs';

const quick = process.argv.includes('--quick');
const rounds = quick ? 12 : 60;
const part = process.argv.find((word) => word.startsWith('--part='))?.slice(7);
const megabytes = Number(process.argv.find((word) => word.startsWith('--megabytes='))?.slice(12) ?? 50);
const place = mkdtempSync(join(tmpdir(), 'nacre-bench-'));
/** Fills this program up to the size that an agent has; each page is touched. */
const ballast = Buffer.alloc(megabytes * 1e6, 1);
const goals = [];
/** Calls of one candidate in a row. */
const TURN = 5;

function open(options = {}) {
  return createBash({
    settings: false,
    cwd: place,
    stateDirectory: join(place, 'state'),
    storage: { minFreeBytes: 0 },
    ...options,
  });
}

/** Until the shells wait: an agent thinks for much longer than this. */
const settle = () => rest(400);

async function latency() {
  const bash = open({ shellState: false });
  await settle();
  const rows = [];
  for (const command of ['true', 'echo hi', '/bin/true', 'git --version']) {
    const found = await interleave(
      { raw: () => rawSpawn(command), execa: () => withExeca(command), nacre: () => bash.call({ command }) },
      { rounds, warmup: 5, turn: TURN },
    );
    const [raw, rival, ours] = ['raw', 'execa', 'nacre'].map((name) => found.get(name));
    const ratio = median(raw) / median(ours);
    rows.push([
      `\`${command}\``,
      ...[raw, rival, ours].map(withP95),
      times(ratio),
      times(p95(raw) / p95(ours)),
      times(median(rival) / median(ours)),
    ]);
    goal(
      `spawn ÷ nacre, \`${command}\``,
      isBuiltin(command) ? 4.5 : command === '/bin/true' ? 2.7 : 2.1,
      ratio,
    );
    if (isBuiltin(command)) goal(`the same at p95, \`${command}\``, 3, p95(raw) / p95(ours));
    goal(`execa ÷ nacre, \`${command}\``, isBuiltin(command) ? 5.5 : 3.2, median(rival) / median(ours));
  }
  await bash.close();
  const head = [
    'command',
    'spawn (p95)',
    'execa 9 (p95)',
    'nacre (p95)',
    'spawn ÷ nacre',
    'at p95',
    'execa ÷ nacre',
  ];
  return section(`One call, 15 ms of rest before it, in a program of ${sizeNow()}`, table(head, rows));
}

async function peers() {
  const found = await findPeers();
  if (found.length === 0)
    return section(
      'Other shells',
      'None of them is installed here: `npm ci --prefix bench/shell-peers --ignore-scripts` brings them.',
    );
  const bash = open({ shellState: false });
  await settle();
  const rows = [];
  for (const { name, run, commands } of found) {
    for (const command of commands) {
      const values = await interleave(
        { peer: () => run(command), nacre: () => bash.call({ command }) },
        { rounds, warmup: 5, turn: TURN },
      );
      const [theirs, ours] = [values.get('peer'), values.get('nacre')];
      const ratio = median(theirs) / median(ours);
      rows.push([name, `\`${command}\``, ...[theirs, ours].map(withP95), times(ratio)]);
      if (name.startsWith('omp'))
        goal(`${name} ÷ nacre, \`${command}\``, isBuiltin(command) ? 0.9 : 1.8, ratio);
    }
  }
  await bash.close();
  return section(
    'Other shells',
    table(['', 'command', 'theirs (p95)', 'nacre (p95)', 'theirs ÷ nacre'], rows),
  );
}

async function burst() {
  const bash = open({ shellState: false, readyShells: 8 });
  await settle();
  const eight = (run) => Promise.all(Array.from({ length: 8 }, () => run('true')));
  const others = Object.fromEntries((await findPeers()).map(({ name, run }) => [name, () => eight(run)]));
  const candidates = {
    spawn: () => eight(rawSpawn),
    'execa 9': () => eight(withExeca),
    ...others,
    nacre: () => eight((command) => bash.call({ command })),
  };
  const found = await interleave(candidates, { rounds: quick ? 6 : 25, restMs: 300, warmup: 2 });
  await bash.close();
  const ours = median(found.get('nacre'));
  goal('burst of 8: spawn ÷ nacre', 6, median(found.get('spawn')) / ours);
  const rows = [...found].map(([name, values]) => [name, withP95(values), times(median(values) / ours)]);
  return section('Eight at once (`true`), all done', table(['', 'time (p95)', '÷ nacre'], rows));
}

function withP95(values) {
  return `${ms(median(values))} (${ms(p95(values))})`;
}

/** What the shell does by itself. */
function isBuiltin(command) {
  return !/\/|git/.test(command);
}

async function largeParent() {
  const results = [];
  for (const size of [50, 1000]) {
    const child = spawnSync(
      process.execPath,
      [import.meta.filename, '--part=inThisParent', `--megabytes=${size}`, ...(quick ? ['--quick'] : [])],
      { encoding: 'utf8', maxBuffer: 1e8 },
    );
    results.push({ size, ...JSON.parse(child.stdout) });
  }
  const [small, large] = results;
  goal('parent of 1 GB: spawn ÷ nacre', 30, large.raw / large.ours);
  goal('nacre in 1 GB ÷ nacre in 50 MB', 1.15, large.ours / small.ours, 'at most');
  goal('longest stall from refilling in 1 GB, ms', 3, large.stall, 'at most');
  const rows = results.map(({ size, raw, ours, stall, block }) => [
    `${size} MB`,
    ms(raw),
    ms(ours),
    times(raw / ours),
    ms(stall),
    ms(block),
  ]);
  goal('event loop held by one call, ms', 0.2, small.block, 'at most');
  return section(
    'By the size of the program',
    table(
      [
        'more than the program itself',
        'spawn',
        'nacre',
        'spawn ÷ nacre',
        'longest stall between calls',
        'held by the start of a call',
      ],
      rows,
    ),
  );
}

async function inThisParent() {
  const bash = open({ shellState: false });
  await settle();
  const blocks = [];
  const call = async () => {
    const begin = performance.now();
    const result = bash.call({ command: 'true' });
    blocks.push(performance.now() - begin);
    await result;
  };
  const found = await interleave(
    { raw: () => rawSpawn('true'), nacre: call },
    { rounds: quick ? 10 : 50, warmup: 5, turn: TURN },
  );
  const stalls = [];
  for (let round = 0; round < (quick ? 5 : 30); round++) {
    await bash.call({ command: 'true' });
    stalls.push(await longestStall(60));
  }
  await bash.close();
  return {
    raw: median(found.get('raw')),
    ours: median(found.get('nacre')),
    stall: median(stalls),
    block: median(blocks),
    ballast: ballast.length,
  };
}

/** How late a timer of one millisecond is at worst, over some time, beyond what it always is. */
async function longestStall(forMs) {
  let worst = 0;
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    const begin = performance.now();
    await rest(1);
    worst = Math.max(worst, performance.now() - begin - 1.2);
  }
  return worst;
}

async function snapshots() {
  const rows = [];
  for (const [kilobytes, wanted] of [
    [60, 10],
    [380, 25],
    [500, null],
    [1400, 45],
  ]) {
    const ground = join(place, `snapshot-${kilobytes}.sh`);
    writeFileSync(ground, makeSnapshot(kilobytes * 1000));
    const { run, close } = await openHost(ground);
    const found = await interleave(
      { raw: () => rawSpawn(`. ${ground}; true`), nacre: () => run('true') },
      { rounds: quick ? 6 : 30, restMs: 150 + kilobytes / 4, warmup: 2, turn: 2 },
    );
    await close();
    const ratio = median(found.get('raw')) / median(found.get('nacre'));
    rows.push([
      `${kilobytes} KB`,
      ms(median(found.get('raw'))),
      ms(median(found.get('nacre'))),
      times(ratio),
    ]);
    if (wanted !== null) goal(`snapshot of ${kilobytes} KB: sourcing ÷ nacre`, wanted, ratio);
  }
  return section(
    "With a snapshot of a user's shell",
    table(['size', "`bash -c '. snapshot; true'`", 'nacre', 'ratio'], rows),
  );
}

function makeSnapshot(bytes) {
  let text = 'shopt -s extglob\n';
  for (let index = 0; text.length < bytes; index++)
    text += `_complete_${index}() {\n  local cur prev words cword\n  case "$prev" in\n    --file | -f)\n      COMPREPLY=($(compgen -f -- "$cur"))\n      return ;;\n    --color)\n      COMPREPLY=($(compgen -W "always never auto" -- "$cur"))\n      return ;;\n  esac\n  for word in "\${words[@]}"; do [[ $word == -* ]] || (( cword++ )); done\n}\nalias a${index}='ls -la --color=auto'\n`;
  return text;
}

/** A host of its own, with a ground: the engine alone, without the tool around it. */
async function openHost(ground) {
  const env = { PATH: process.env.PATH, HOME: place };
  const common = { shell: '/bin/bash', cwd: place, env, streams: 'merged', ground };
  const host = createLocalHost({
    stateDirectory: join(place, `state-${Math.random()}`),
    onExit: 'end',
    readyShells: 2,
  });
  host.prepare(() => common);
  await rest(1500);
  const rest0 = {
    terminal: null,
    timeoutMs: null,
    graceMs: 2000,
    jobTimeoutMs: 86_400_000,
    watcher: 'reader',
  };
  const keep = { maxBytes: 2 ** 30, onFull: 'drop_middle', minFreeBytes: 0 };
  const own = { pipeStatus: false, preamble: '', atExit: '', asked: {}, input: { kind: 'empty' } };
  const run = async (command) => (await host.start({ ...common, ...rest0, ...own, keep, command })).ended;
  return { run, close: () => host.close() };
}

async function backToBack() {
  const bash = open({ shellState: false });
  await settle();
  const many = quick ? 20 : 100;
  const sequence = async (run) => {
    for (let call = 0; call < many; call++) await run('true');
  };
  const found = await interleave(
    { raw: () => sequence(rawSpawn), nacre: () => sequence((command) => bash.call({ command })) },
    { rounds: quick ? 2 : 5, restMs: 300, warmup: 1 },
  );
  await bash.close();
  const ratio = median(found.get('raw')) / median(found.get('nacre'));
  goal('back to back: spawn ÷ nacre', 1.4, ratio);
  const row = [ms(median(found.get('raw')) / many), ms(median(found.get('nacre')) / many), times(ratio)];
  return section('Back to back, without rest, each', table(['spawn', 'nacre', 'spawn ÷ nacre'], [row]));
}

/** Of the whole machine: what a call costs there is made by others, too. Only on a machine with nothing else to do. */
async function cpu() {
  const bash = open({ shellState: false });
  await settle();
  const many = quick ? 10 : 60;
  const spent = async (run) => {
    const before = busyMs();
    const begin = performance.now();
    for (let call = 0; call < many; call++) {
      await run('true');
      await rest(60);
    }
    return { busy: busyMs() - before, took: performance.now() - begin };
  };
  const nothing = await spent(() => Promise.resolve());
  const raw = await spent(rawSpawn);
  const ours = await spent((command) => bash.call({ command }));
  await bash.close();
  const each = ({ busy, took }) => Math.max(0, busy - (nothing.busy * took) / nothing.took) / many;
  return section(
    'Processor time of one call, on all cores, with the making of the next shell',
    table(['spawn', 'nacre'], [[ms(each(raw)), ms(each(ours))]]),
  );
}

function busyMs() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'latin1')
    .split('\n')[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) * 10;
}

async function stateful() {
  const plain = open({ shellState: false });
  const keeping = open({ shellState: true, session: 'bench' });
  await settle();
  await keeping.call({ command: 'export A=1; greet() { echo hello; }' });
  await settle();
  const rows = [];
  for (const command of ['true', 'git --version']) {
    const found = await interleave(
      { without: () => plain.call({ command }), with: () => keeping.call({ command }) },
      { rounds, warmup: 5, turn: TURN },
    );
    const ratio = median(found.get('with')) / median(found.get('without'));
    rows.push([
      `\`${command}\``,
      ms(median(found.get('without'))),
      ms(median(found.get('with'))),
      times(ratio),
    ]);
    goal(`a session that remembers ÷ one that does not, \`${command}\``, 1.3, ratio, 'at most');
  }
  await plain.close();
  await keeping.close();
  return section(
    'In a session that remembers, when nothing changed',
    table(['command', 'without', 'with', 'ratio'], rows),
  );
}

function goal(what, wanted, got, kind = 'at least') {
  const isMet = kind === 'at least' ? got >= wanted : got <= wanted;
  goals.push([what, `${kind} ${wanted}`, got.toFixed(2), isMet ? 'reached' : 'missed']);
}

function section(title, body) {
  return `## ${title}\n\n${body}`;
}

function sizeNow() {
  return `${Math.round(process.memoryUsage.rss() / 1e6)} MB`;
}

async function writeReport() {
  const texts = [];
  for (const run of Object.values(sections)) {
    const text = await run();
    console.log(`${text}\n`);
    texts.push(text);
  }
  const [cores, kernel, bash] = spawnSync('sh', ['-c', 'nproc; uname -r; bash --version | head -1'], {
    encoding: 'utf8',
  })
    .stdout.trim()
    .split('\n');
  const [load] = readFileSync('/proc/loadavg', 'latin1').split(' ');
  const head = `# Benchmarks of ready shells\n\nMade by \`npm run bench:shells\` on ${cores} cores, Linux ${kernel}, Node ${process.version}, ${bash}; load ${load} at the end. Candidates of a table run interleaved in one process, in turns of five calls (the first of a turn does not count: a fork makes the program that forked slower for a while); only ratios within a table mean anything, and a machine with other work to do makes all of them smaller.`;
  const met = section('Goals', table(['', 'goal', 'figure', ''], goals));
  console.log(met);
  // A short round is for a look, not for the record.
  if (quick) return;
  writeFileSync(
    join(import.meta.dirname, '../docs/benchmarks-shells.md'),
    `${[head, met, ...texts].join('\n\n')}\n`,
  );
}

const sections = { latency, peers, burst, largeParent, snapshots, backToBack, cpu, stateful };
const parts = { ...sections, inThisParent };
try {
  if (part !== undefined) console.log(JSON.stringify(await parts[part]()));
  else await writeReport();
} finally {
  rmSync(place, { recursive: true, force: true });
}
