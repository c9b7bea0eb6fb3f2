/**
 * Kills programs that start jobs, at random moments, and looks whether anything was lost: a job, an end, the word about
 * an end; or done twice. `node test/storm/storm.mjs --rounds 300` is the long form.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RunStore } from '../../dist/engine/run/run-store.js';
import { createBash } from '../../dist/index.js';

const VICTIM = fileURLToPath(new URL('./victim.mjs', import.meta.url));
const LONGEST_LIFE_MS = 900;
const PATIENCE_MS = 30_000;
const SHORT_PATIENCE_MS = 5_000;
const STILLBORN_MS = 3_000;

/** Resolves with what was seen and, in `problems`, with everything that must not be. */
export async function storm({ rounds, concurrency = 2, seed = 1 }) {
  const report = { rounds: 0, runs: 0, orphans: 0, toldLater: 0, problems: [] };
  let next = 0;
  const work = async () => {
    for (let round = next++; round < rounds; round = next++) {
      const seen = await playRound(seed + round);
      report.rounds += 1;
      for (const key of ['runs', 'orphans', 'toldLater']) report[key] += seen[key];
      report.problems.push(
        ...seen.problems.map((problem) => `round ${round}, seed ${seed + round}: ${problem}`),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return report;
}

async function playRound(seed) {
  const state = mkdtempSync(join(tmpdir(), 'nacre-storm-'));
  const place = { state, session: `storm${seed}`, ledger: join(state, 'ledger'), seed };
  const heard = await killSomewhere(place);
  const seen = await judge(place, heard);
  // What went wrong can be looked at.
  if (seen.problems.length > 0) seen.problems.push(`see ${state}`);
  else await until(() => removed(state));
  return seen;
}

/** A supervisor may still be writing its last files. */
function removed(directory) {
  try {
    rmSync(directory, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** What the program said until it was killed. */
async function killSomewhere({ state, session, ledger, seed }) {
  const args = ['--state', state, '--session', session, '--ledger', ledger, '--seed', `${seed}`];
  const child = spawn(process.execPath, [VICTIM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  await until(() => text.includes('ready'));
  await pause((Math.imul(seed, 2_654_435_761) >>> 0) % LONGEST_LIFE_MS);
  child.kill('SIGKILL');
  await closed;
  const whole = text.slice(0, text.lastIndexOf('\n'));
  // One that was killed before it could say anything has asked for nothing.
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function judge({ state, session, ledger }, heard) {
  const store = new RunStore(state);
  const problems = [];
  const began = () => wordsOf(ledger, 'begin');
  // A supervisor that has not written who it is within this time was killed with its caller, and nothing began.
  const isStillborn = ({ processes, startedAt }) =>
    processes === null && Date.now() - startedAt > STILLBORN_MS;
  // Until its supervisor goes, what is on record may change: that its caller was gone is noted after its end.
  const isOver = (run) => run.state.kind === 'ended' && !store.hasLiveSupervisor(run);
  const settled = () => isMoved(state) && store.list().every((run) => isOver(run) || isStillborn(run));
  if (!(await until(settled))) problems.push('something never ended');

  const runs = store.list();
  const tokens = began();
  const twice = tokens.filter((token, at) => tokens.indexOf(token) !== at);
  if (twice.length > 0) problems.push(`run twice: ${twice}`);
  const codes = new Map(heard.filter(({ asked }) => asked).map(({ asked, code }) => [asked, code]));
  for (const token of tokens)
    problems.push(...(await judgeRun(token, { runs, code: codes.get(token), ledger })));
  for (const { id } of heard.filter(({ id: told }) => told)) {
    if (store.find(id) === null) problems.push(`the answer named ${id}, which is not there`);
  }
  const told = await tellTheRest({ state, session }, { store, heard, began: tokens });
  problems.push(...told.problems);
  const orphans = runs.filter((run) => run.state.kind === 'ended' && run.state.callerGone).length;
  return { runs: tokens.length, orphans, toldLater: told.later, problems };
}

/** Whoever was given a command is among the runs: where the caller was killed before it moved it there, its supervisor does. */
function isMoved(state) {
  const ready = join(state, 'ready');
  const ids = existsSync(ready) ? readdirSync(ready) : [];
  return ids.every((id) => !statSync(join(ready, id, 'run.json'), { throwIfNoEntry: false })?.size);
}

/** A command that began has one run, which ended as the command did and has what it printed. */
async function judgeRun(token, { runs, code, ledger }) {
  const own = runs.filter(({ asked }) => String(asked.command).includes(`begin ${token}"`));
  const [run] = own;
  if (own.length !== 1 || run === undefined) return [`${token} began and has ${own.length} runs`];
  const { state } = run;
  if (state.kind !== 'ended') return [`${token} never ended`];
  const problems = [];
  const isAsAsked = state.ending.kind === 'exited' && (code === undefined || state.ending.exitCode === code);
  if (!isAsAsked) problems.push(`${token} ended as ${JSON.stringify(state.ending)}, not with ${code}`);
  if (!wordsOf(ledger, 'done').includes(token)) problems.push(`${token} was not done`);
  const out = join(run.directory, 'out');
  const printed = () => (existsSync(out) ? readFileSync(out, 'utf8') : '');
  // Who reads for itself may take one buffer with it when it is killed; what nobody waits for loses nothing. What a
  // caller had not read by then is read by the supervisor, which takes a moment.
  const isJob = run.asked.background || existsSync(join(run.directory, 'background.log'));
  const isWhole = () => printed() === `out ${token}\nend ${token}\n`;
  if (isJob && !(await until(isWhole, SHORT_PATIENCE_MS)))
    problems.push(`${token} printed ${JSON.stringify(printed())}`);
  return problems;
}

/** The next program of the session hears of every end that the killed one had not acknowledged, and once. */
async function tellTheRest({ state, session }, { store, heard, began }) {
  const later = [];
  const listen = async () => {
    const bash = createBash({
      settings: false,
      stateDirectory: state,
      session,
      onJobEnd: ({ job }) => void later.push(job.id),
    });
    await until(() => owed(store, began).every((id) => existsSync(join(store.directoryOf(id), 'told'))));
    await bash.close();
  };
  await listen();
  const first = [...later];
  await listen();
  const problems = [];
  if (later.length !== first.length) problems.push('somebody was told again of what was acknowledged');
  if (new Set(first).size !== first.length) problems.push('the next program was told twice');
  const before = new Set(heard.filter(({ told }) => told).map(({ told }) => told));
  const untold = owed(store, began).filter(
    (id) => !first.includes(id) && !before.has(id) && !wasAnswered(heard, id),
  );
  if (untold.length > 0) problems.push(`nobody was told of ${untold}`);
  return { later: first.length, problems };
}

/** Whose end is to be told: what nobody waited for, or whoever did was killed. */
function owed(store, began) {
  return store
    .list()
    .filter((run) => hasBegun(run, began) && run.state.kind === 'ended')
    .filter(
      ({ asked, state, directory }) =>
        asked.background || state.callerGone || existsSync(join(directory, 'background.log')),
    )
    .map(({ id }) => id);
}

/** A last message may be lost with the program; what its result said itself was told. */
function wasAnswered(heard, id) {
  return heard.some((line) => line.id === id && line.status !== 'running');
}

function hasBegun({ asked }, began) {
  return began.some((token) => String(asked.command).includes(`begin ${token}"`));
}

function wordsOf(ledger, word) {
  if (!existsSync(ledger)) return [];
  const lines = readFileSync(ledger, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

async function until(holds, patienceMs = PATIENCE_MS) {
  for (const end = Date.now() + patienceMs; Date.now() < end; await pause(20)) if (holds()) return true;
  return holds();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '300' },
      concurrency: { type: 'string', default: '2' },
      seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    },
  });
  const [rounds, concurrency, seed] = [values.rounds, values.concurrency, values.seed].map(Number);
  const report = await storm({ rounds, concurrency, seed });
  console.log(JSON.stringify({ seed, ...report }, null, 2));
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
