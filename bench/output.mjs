/**
 * How fast an output that does not fit becomes a view: plain logs, logs full of the word "error", and one failure in the
 * middle. In MB per second of time and of work; the best of several rounds. `npm run --silent build && node bench/output.mjs`
 */
import { rawOutputFromWindow } from '../dist/engine/output/raw/raw-output.js';
import { toAgentView } from '../dist/engine/output/views/agent-view.js';

const SIZE = 50e6;
const ROUNDS = 5;
const LOGS = {
  'a log of a service': (n) =>
    `2024-05-01T10:00:${n % 60} INFO [worker-${n % 7}] handled /api/items/${n} in ${n % 90}ms, size ${n * 37}`,
  'a build': (n) => `[${n % 100}%] Building CXX object CMakeFiles/app.dir/src/part_${n}/unit_${n * 7}.cpp.o`,
  '"0 errors" in every line': (n) => `imported row ${n} of the orders table, checksum ok, 0 errors`,
  '"ERROR" in every line': (n) =>
    `2024-05-01T10:00:00Z ERROR worker=${n % 7} retry ${n}: upstream error, will retry`,
};

function sourceOf(line) {
  const lines = [];
  let size = 0;
  for (let n = 0; size < SIZE; n += 1) {
    const text = `${line(n)}\n`;
    size += text.length;
    lines.push(text);
  }
  const middle = Math.floor(lines.length / 2);
  lines[middle] = "thread 'main' panicked at src/main.rs:4:5:\n";
  const head = Buffer.from(lines.join(''));
  return {
    number: middle + 1,
    source: rawOutputFromWindow({
      head,
      tail: Buffer.alloc(0),
      totalBytes: head.length,
      newlines: lines.length,
      unterminated: false,
    }),
  };
}

console.log('| log | MB/s | MB per second of work | failure in the middle |\n|---|---:|---:|---|');
for (const [name, line] of Object.entries(LOGS)) {
  const { source, number } = sourceOf(line);
  let best = 0;
  let work = 0;
  let found = true;
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const before = process.cpuUsage();
    const view = await toAgentView(source, { artifact: 'artifact://x' });
    const { user, system } = process.cpuUsage(before);
    best = Math.max(best, source.totalBytes / 1000 / (performance.now() - started));
    work = Math.max(work, source.totalBytes / (user + system));
    found &&= view.text.includes(`${number}: thread 'main' panicked`);
  }
  console.log(`| ${name} | ${best.toFixed(0)} | ${work.toFixed(0)} | ${found ? 'found' : 'missed'} |`);
}
