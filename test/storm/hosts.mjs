/**
 * 500 sessions over five machines, each an sshd on loopback, whose connections and daemons are killed all the time. Every
 * command must run exactly once, print all it prints and end as it ended; in the end nobody holds a host.
 *
 * node test/storm/hosts.mjs [sessions] [at once] [milliseconds between cuts]; it needs root and openssh-server.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { startSshd } from '../../bench/lib/far-ends.mjs';
import { createBash } from '../../dist/index.js';

const SESSIONS = Number(process.argv[2] ?? 500);
const AT_ONCE = Number(process.argv[3] ?? 24);
const CUT_MS = Number(process.argv[4] ?? 2000);
/** A call that takes longer hangs. */
const PATIENCE_MS = 120_000;
const room = mkdtempSync(join(tmpdir(), 'nacre-storm-'));
const stateDirectory = join(room, 'state');
const work = join(room, 'work');
mkdirSync(work);

const machines = [];
for (let i = 0; i < 5; i++) machines.push(await startSshd(join(room, `machine-${i}`)));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const machine of machines) machine.stop();
    process.exit(130);
  });
const hosts = Object.fromEntries(
  machines.map(({ client: { destination, port, identityFile, options, configFile } }, i) => [
    `farm${i}`,
    { type: 'ssh', destination, port, identityFile, options, configFile, directory: work },
  ]),
);
hosts.farm = { type: 'pool', hosts: Object.keys(hosts) };

/** In a thread of its own: this one is busy, and would leave them alone when it matters. */
const cutter = new Worker(new URL('./cutter.mjs', import.meta.url), { workerData: { everyMs: CUT_MS } });
const tellCutter = () => cutter.postMessage(machines.map((machine) => machine.daemon().pid));
tellCutter();
const telling = setInterval(tellCutter, 100);

const problems = [];
const spread = new Map();
async function session(number) {
  const bash = createBash({ settings: false, stateDirectory, session: `s${number}`, host: 'farm', hosts });
  const mark = randomUUID();
  const from = performance.now();
  const command = `echo ${mark} >>ran; echo "$SSH_CONNECTION" >>${mark}; for i in {1..20}; do echo ${number} $i; done; sleep 0.$((RANDOM % 5)); exit ${number % 100}`;
  const expected = Array.from({ length: 20 }, (_, i) => `${number} ${i + 1}\n`).join('');
  const hanging = setTimeout(() => problems.push({ number, mark, hangs: true }), PATIENCE_MS);
  const { run, error } = await bash.call({ command });
  clearTimeout(hanging);
  // A start that a cut link left in doubt is refused; it ran once or never, and is not begun again.
  if (error === undefined && (run.exitCode !== number % 100 || run.output.text !== expected))
    problems.push({ number, run });
  if (error !== undefined && error.id !== 'start_unknown' && error.id !== 'host_unreachable')
    problems.push({ number, error });
  const port = readLines(mark)[0]?.split(' ')[3];
  if (port !== undefined) spread.set(port, (spread.get(port) ?? 0) + 1);
  await bash.close();
  return { mark, refused: error !== undefined, ms: performance.now() - from };
}

function readLines(name) {
  try {
    return readFileSync(join(work, name), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const began = performance.now();
const outcomes = [];
let next = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < SESSIONS) outcomes.push(await session(next++));
  }),
);
clearInterval(telling);
const { cuts, crashes } = await new Promise((resolve) => {
  cutter.once('message', resolve);
  cutter.postMessage('stop');
});
const counts = new Map();
for (const mark of readLines('ran')) counts.set(mark, (counts.get(mark) ?? 0) + 1);
for (const { mark, refused } of outcomes) {
  const times = counts.get(mark) ?? 0;
  if (refused ? times > 1 : times !== 1) problems.push({ mark, times, refused });
}
const leases = readdirSync(join(stateDirectory, 'pools/farm')).filter((name) => name.endsWith('.json'));
if (leases.length > 0) problems.push({ leases });
for (const machine of machines) machine.stop();
rmSync(room, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
const refused = outcomes.filter((outcome) => outcome.refused).length;
const slowest = Math.max(...outcomes.map(({ ms }) => ms)) / 1000;
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  `${SESSIONS} sessions over 5 machines in ${seconds} s, ${cuts} connections and ${crashes} daemons killed, ${refused} starts refused, the slowest took ${slowest.toFixed(1)} s, sessions by machine: ${[...spread.values()].join(' ')}`,
);
for (const problem of problems.slice(0, 10)) console.log(JSON.stringify(problem));
console.log(problems.length === 0 ? 'every command ran exactly once' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
