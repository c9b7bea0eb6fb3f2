/**
 * How long a key takes to its echo in the console, at rest and while a command prints 100 MB, and what those 100 MB cost.
 * Beside it: bash's own prompt on the same terminal, which is as fast as it gets here. `node bench/console.mjs [--keys 200] [--write]`
 *
 * Both programs run on a terminal that nacre makes, so a key passes: this process, a pipe, `script`, the terminal, the program,
 * and all the way back.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBash } from '../dist/index.js';
import { ms, table } from './lib/measure.mjs';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/benchmarks.md');
const TITLE = '## The console: from a key to its echo';
const MEGABYTES = 100;
const FLOOD = `yes 'a line of an ordinary build log, about sixty characters long' | head -c ${MEGABYTES}000000`;

/** Each flood ends with a number that is nowhere before. */
let floods = 5000;
const nextFlood = () => {
  floods += 1;
  return { line: `${FLOOD}; echo $((${floods} + 10000))\r`, sign: String(floods + 10_000) };
};

const { values } = parseArgs({
  options: { keys: { type: 'string', default: '200' }, write: { type: 'boolean', default: false } },
});
const count = Number(values.keys);
const place = mkdtempSync(join(tmpdir(), 'nacre-bench-'));
const bash = createBash({
  settings: false,
  cwd: place,
  stateDirectory: join(place, 'outer'),
  policy: { enabled: false },
  env: { HOME: place, XDG_STATE_HOME: join(place, 'state'), PATH: process.env.PATH ?? '', PS1: '$ ' },
});

try {
  const shell = await measureShell();
  const { rest, flood, cpu } = await measureConsole();
  const rows = [
    ['bash, at its prompt', ...shell],
    ['nacre, at rest', ...rest],
    ['nacre, while a command prints', ...flood],
  ];
  const section = [
    TITLE,
    '',
    table(
      ['', 'median', 'p95', 'most'],
      rows.map(([name, ...times]) => [name, ...times.map(ms)]),
    ),
    '',
    `${MEGABYTES} MB that a command prints cost ${cpu.toFixed(2)} s of processor time in the console. Made by \`npm run bench:console\`, ${count} keys each.`,
    '',
  ].join('\n');
  process.stdout.write(section);
  if (values.write) writeSection(section);
} finally {
  await bash.close();
  rmSync(place, { recursive: true, force: true });
}

async function measureShell() {
  const program = await open('exec bash --norc --noprofile -i', '$ ');
  const times = await typeKeys(program, { count });
  await program.close();
  return times;
}

async function measureConsole() {
  const program = await open(`exec ${process.execPath} ${join(ROOT, 'bin/nacre.cjs')} console`, '/help');
  const rest = await typeKeys(program, { count });
  program.clear();
  const flood = await typeWhileFlooded(program);
  const cpu = await costOfFlood(program);
  await program.close();
  return { rest, flood, cpu };
}

/** One flood is over sooner than all keys are typed: as many as it takes. */
async function typeWhileFlooded(program) {
  const all = [];
  while (all.length < count) {
    const { line, sign } = nextFlood();
    program.type(line);
    await program.shows('running');
    const isOver = () => program.printed.includes(sign);
    all.push(...(await typeKeys(program, { count: count - all.length, isOver, raw: true })));
    program.clear();
    await program.prints(sign);
  }
  return summary(all);
}

async function costOfFlood(program) {
  const before = cpuOf(program.pid());
  const { line, sign } = nextFlood();
  program.type(line);
  await program.prints(sign);
  return cpuOf(program.pid()) - before;
}

/** Letters that differ, one after the other, each once the one before is on the screen. */
async function typeKeys(program, { count, isOver = () => false, raw = false }) {
  const times = [];
  for (let key = 0; key < count && !isOver(); key++) {
    if (key % 40 === 39) program.clear();
    const letter = String.fromCharCode(97 + (key % 26));
    const began = performance.now();
    program.type(letter);
    await program.showsNew(letter);
    times.push(performance.now() - began);
    // Nobody types faster.
    await pause(15);
  }
  return raw ? times : summary(times);
}

function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return [at(0.5), at(0.95), at(1)];
}

/** A program on a terminal: what it has printed since the last key, and what was typed. */
async function open(command, sign) {
  let seen = '';
  let printed = '';
  let wake = () => undefined;
  let live;
  const call = bash.call(
    { command: `echo "pid $$"; ${command}`, pty: true, timeout: 0 },
    {
      terminal: { columns: 100, rows: 30, onStart: (terminal) => (live = terminal) },
      onBytes: (_, chunk) => {
        seen += chunk.toString('latin1');
        printed = `${printed}${chunk.toString('latin1')}`.slice(-200_000);
        wake();
      },
    },
  );
  const until = async (isThere) => {
    while (!isThere())
      await new Promise((resolve) => {
        wake = resolve;
      });
  };
  await until(() => seen.includes(sign));
  const pid = Number(/pid (\d+)/.exec(seen)?.[1]);
  await pause(300);
  return {
    pid: () => pid,
    /** The end of all it ever printed. */
    get printed() {
      return printed;
    },
    prints: (text) => until(() => printed.includes(text)),
    type: (text) => {
      seen = '';
      void live.send(text);
    },
    /** The line that is being written is thrown away. */
    clear: () => void live.send('\x15'),
    shows: (text) => until(() => seen.includes(text)),
    /** The letter, and not one within a sequence. */
    showsNew: (letter) => until(() => seen.replace(/\x1b\[[\d;?>=]*[a-zA-Z]/g, '').includes(letter)),
    close: async () => {
      await live.send('\x15\x04');
      await call;
    },
  };
}

function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function writeSection(section) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest = ''] = page.split(TITLE);
  const after = rest.slice(rest.indexOf('\n## ') + 1 || rest.length);
  writeFileSync(PAGE, `${before.trimEnd()}\n\n${section}${after === '' ? '' : `\n${after}`}`);
}
