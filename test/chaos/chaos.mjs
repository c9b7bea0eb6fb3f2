/**
 * Drives nacre with random histories of calls, aborts, closes and kills, and compares what it reports with what is true
 * on the machine.
 *
 *   npm run test:chaos -- --seconds 600
 *   npm run test:chaos -- --seed 100 --histories 40
 *   npm run test:chaos -- --replay history.json
 *   npm run test:chaos -- --dist /path/of/another/build/dist
 *
 * A history that breaks a rule is shrunk to fewer operations and written to a file that --replay takes.
 * The rules are in `settle`, `judgeResult` and `judgeSession`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawCommand } from './commands.mjs';

const ACTOR = fileURLToPath(new URL('./actor.mjs', import.meta.url));
/** Everything that must happen happens within this time, or the history hangs. */
const DEADLINE_MS = 60_000;
const SHRINK_TRIES = 25;

/** A small generator with a seed (mulberry32): the same seed draws the same history. */
function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit) => Math.floor(next() * limit);
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)] };
}

/** Draws the operations of one history. They are plain data, so that a history can be stored and shrunk. */
function drawHistory(seed) {
  const random = createRandom(seed);
  const tag = String(100_000_000 + random.below(899_999_999));
  let sleeps = 0;
  const sleep = () => `sleep ${1_000 + sleeps++}.${tag}`;
  const operations = [];
  const actors = 1 + random.below(2);
  const warm = random.chance(0.5);
  for (let id = 0, calls = 12 + random.below(20); id < calls; id += 1) {
    const actor = random.below(actors);
    const command = drawCommand(random, sleep);
    operations.push({
      op: 'call',
      actor,
      id,
      command,
      async: command.kind === 'endless' && random.chance(0.2),
    });
    if (random.chance(0.6)) operations.push({ op: 'pause', ms: random.below(40) });
    const open = operations.filter(({ op, actor: owner }) => op === 'call' && owner === actor);
    const what = random.below(20);
    if (what < 5) operations.push({ op: 'abort', actor, target: random.pick(open).id });
    else if (what === 5) operations.push({ op: 'reopen', actor, id: 1_000 + id });
    else if (what === 6) operations.push({ op: 'kill_actor', actor });
    else if (what === 7) operations.push({ op: 'kill_supervisor', actor, target: random.pick(open).id });
  }
  return { seed, tag, actors, warm, operations };
}

/** Live processes whose command line contains the tag, found without nacre. */
function findTagged(tag) {
  const found = [];
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
      const isSleep = words.some((word) => word.endsWith(`.${tag}`)) && words.length <= 4;
      const state = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
      if (isSleep && state !== 'Z' && state !== 'X')
        found.push({ pid: Number(pid), words: words.join(' ').trim() });
    } catch {
      // The process has exited meanwhile.
    }
  }
  return found;
}

async function until(condition, deadlineMs = DEADLINE_MS) {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = condition();
    if (value) return value;
    if (performance.now() > end) return null;
    await pause(20);
  }
}

/** An actor process and what it has reported. */
class Actor {
  events = [];
  exited = false;

  constructor({ index, state, cwd, warm, dist }) {
    const options = {
      ...{ cwd, stateDirectory: state, session: 'chaos', shellSnapshot: false, graceMs: 300 },
      readyShells: warm ? 2 : 0,
      async: { autoBackground: { enabled: false } },
    };
    this.index = index;
    this.child = spawn(process.execPath, [ACTOR, dist, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    createInterface({ input: this.child.stdout }).on('line', (line) => this.events.push(JSON.parse(line)));
    this.child.on('exit', () => {
      this.exited = true;
    });
    this.child.stdin.on('error', () => undefined);
  }

  ready() {
    return this.wait(({ event }) => event === 'ready');
  }

  send(operation) {
    this.child.stdin.write(`${JSON.stringify(operation)}\n`);
  }

  find(test) {
    return this.events.find(test);
  }

  wait(test) {
    return until(() => this.find(test) ?? (this.exited ? { event: 'gone' } : null));
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}

/** Runs a history and returns the list of broken rules. */
async function play(history, dist) {
  const root = mkdtempSync(join(tmpdir(), 'nacre-chaos-'));
  const world = {
    ...history,
    dist,
    state: join(root, 'state'),
    cwd: root,
    problems: [],
    calls: new Map(),
    dead: [],
  };
  world.live = Array.from({ length: history.actors }, (_, index) => new Actor({ ...world, index }));
  try {
    for (const actor of world.live) await actor.ready();
    for (const operation of history.operations) await OPERATIONS[operation.op](operation, world);
    await settle(world);
  } finally {
    for (const actor of [...world.live, ...world.dead]) actor.kill();
    for (const { pid } of findTagged(history.tag)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited by itself.
      }
    }
    await pause(50);
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  return world.problems;
}

const OPERATIONS = {
  async pause({ ms }) {
    await pause(ms);
  },
  async call({ actor, id, command, async }, world) {
    world.calls.set(id, { id, command, actor: world.live[actor], stops: [], async });
    world.live[actor].send({ op: 'call', id, input: { command: command.text, timeout: 120, async } });
  },
  async abort({ actor, target }, world) {
    const call = world.calls.get(target);
    if (call === undefined || call.actor !== world.live[actor]) return;
    call.stops.push('abort');
    world.live[actor].send({ op: 'abort', id: target });
  },
  async reopen({ actor, id }, world) {
    for (const call of world.calls.values()) if (call.actor === world.live[actor]) call.stops.push('close');
    world.live[actor].send({ op: 'reopen', id });
    world.live[actor].closes = [...(world.live[actor].closes ?? []), id];
  },
  async kill_actor({ actor }, world) {
    for (const call of world.calls.values())
      if (call.actor === world.live[actor]) call.stops.push('killed caller');
    world.live[actor].kill();
    world.dead.push(world.live[actor]);
    world.live[actor] = new Actor({ ...world, index: actor });
    await world.live[actor].ready();
  },
  async kill_supervisor({ target }, world) {
    const call = world.calls.get(target);
    if (call === undefined) return;
    const pid = findSupervisor(world, call);
    if (pid === null) return;
    call.stops.push('killed supervisor');
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited.
    }
  },
};

/** The supervisor of a call, by the record of its run: the last pid in `who` whose command line names no command. */
function findSupervisor({ state }, call) {
  for (const run of safeList(join(state, 'runs'))) {
    try {
      const record = JSON.parse(readFileSync(join(state, 'runs', run, 'run.json'), 'utf8'));
      if (record.command !== call.command.text) continue;
      const pids = readFileSync(join(state, 'runs', run, 'who'), 'utf8')
        .match(/\d+/g)
        .map(Number);
      return pids.find((pid) => isSupervisor(pid)) ?? null;
    } catch {
      // The run is just being created or removed.
    }
  }
  return null;
}

function isSupervisor(pid) {
  try {
    return /nacre/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').slice(0, 2).join(' '));
  } catch {
    return false;
  }
}

function safeList(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Ends the history: endless calls are aborted, results are compared, jobs are killed, and nothing may be alive. */
async function settle(world) {
  const say = (text) => world.problems.push(text);
  for (const call of world.calls.values()) {
    const isClosed = call.stops.includes('close');
    if (call.command.kind === 'endless' && !call.async && !isClosed && !world.dead.includes(call.actor)) {
      call.stops.push('abort');
      call.actor.send({ op: 'abort', id: call.id });
    }
  }
  for (const call of world.calls.values()) await judgeResult(call, world, say);
  for (const actor of world.live)
    for (const id of actor.closes ?? [])
      if ((await actor.wait((event) => event.event === 'closed' && event.id === id)) === null)
        say(`close() did not return within ${DEADLINE_MS} ms`);
  await judgeSession(world, say);
  await killJobs(world, say);
  const left = await until(() => findTagged(world.tag).length === 0, 15_000);
  if (left === null)
    say(
      `alive after all jobs were killed: ${findTagged(world.tag)
        .map(({ words }) => words)
        .join('; ')}`,
    );
  for (const actor of [...world.live, ...world.dead]) {
    for (const { message } of actor.events.filter(({ event }) => event === 'crash')) say(`crash: ${message}`);
  }
  judgeNotifications(world, say);
}

async function judgeResult(call, world, say) {
  const { id, command, actor, stops } = call;
  if (world.dead.includes(actor)) return;
  const seen = await actor.wait((event) => ['result', 'rejected'].includes(event.event) && event.id === id);
  const name = `call ${id} (${command.text.replaceAll('\n', '; ')})`;
  if (seen === null) return say(`${name}: no result within ${DEADLINE_MS} ms`);
  call.result = seen;
  if (stops.length > 0 || call.async) return undefined;
  if (seen.event === 'rejected') return say(`${name}: rejected without a cause: ${seen.message}`);
  if (seen.error !== undefined) return say(`${name}: error ${seen.error.id}: ${seen.error.message}`);
  if (seen.status !== 'exited' || seen.exitCode !== command.exitCode)
    say(`${name}: status ${seen.status}, exit code ${seen.exitCode}, expected ${command.exitCode}`);
  if (command.output !== undefined && !seen.text.endsWith(command.output) && command.output !== '')
    say(
      `${name}: output ${JSON.stringify(seen.text.slice(-80))}, expected ${JSON.stringify(command.output)}`,
    );
  if (command.bytes !== undefined && seen.bytes !== command.bytes)
    say(`${name}: ${seen.bytes} bytes, expected ${command.bytes}`);
  // Leftovers are named, whatever they did to be forgotten, as long as they are there.
  if (command.kind === 'leftover' && seen.job === undefined && seen.notes.length === 0) {
    const numbers = command.text.match(/sleep (\d+\.\d+)/g) ?? [];
    const alive = findTagged(world.tag).filter(({ words }) =>
      numbers.some((number) => words.includes(number)),
    );
    if (alive.length > 0)
      say(`${name}: leftover processes without a note: ${alive.map(({ words }) => words)}`);
  }
  return undefined;
}

/** A variable that a call reported as kept is there in the next call of the session. */
async function judgeSession(world, say) {
  const kept = [...world.calls.values()].filter(
    ({ command, result, stops }) =>
      command.kind === 'session' && stops.length === 0 && result?.status === 'exited' && !result.stateReset,
  );
  if (kept.length === 0) return;
  const reader = world.live[0];
  const text = `echo ${kept.map(({ command: { name } }) => `${name}=\${${name}-}`).join(' ')}`;
  reader.send({ op: 'call', id: 'session', input: { command: text, timeout: 60 } });
  const seen = await reader.wait((event) => event.event === 'result' && event.id === 'session');
  for (const { command } of kept)
    if (!seen?.text?.includes(`${command.name}=1`))
      say(`session: ${command.name} was reported as kept and is lost`);
}

async function killJobs(world, say) {
  const keeper = world.live[0];
  for (let round = 0; round < 5; round += 1) {
    keeper.send({ op: 'list', id: `list${round}` });
    const listed = await keeper.wait(({ event, id }) => event === 'jobs' && id === `list${round}`);
    const running = listed?.jobs?.filter(({ state }) => state === 'running') ?? [];
    if (running.length === 0) return;
    for (const { id } of running) keeper.send({ op: 'kill', id: `kill${round}${id}`, job: id });
    for (const { id } of running) {
      const killed = await keeper.wait(
        ({ event, id: of }) => event === 'killed' && of === `kill${round}${id}`,
      );
      if (killed === null) say(`jobs.kill(${id}) did not return`);
    }
  }
}

/** The end of a job is reported at most once over all programs. */
function judgeNotifications(world, say) {
  const counts = new Map();
  for (const actor of [...world.live, ...world.dead])
    for (const { event, job } of actor.events)
      if (event === 'job_end') counts.set(job, (counts.get(job) ?? 0) + 1);
  for (const [job, count] of counts) if (count > 1) say(`the end of job ${job} was reported ${count} times`);
}

/** Removes operations as long as a rule stays broken. */
async function shrink(history, dist) {
  let best = history;
  let tries = 0;
  for (
    let size = Math.ceil(best.operations.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < best.operations.length && tries < SHRINK_TRIES; at += size) {
      const smaller = { ...best, operations: best.operations.toSpliced(at, size) };
      tries += 1;
      if ((await play(smaller, dist)).length > 0) {
        best = smaller;
        at -= size;
      }
    }
  }
  return best;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    histories: { type: 'string' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    'no-shrink': { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds ?? (values.histories === undefined ? 60 : Number.POSITIVE_INFINITY));
const count = values.replay === undefined ? Number(values.histories ?? Number.POSITIVE_INFINITY) : 1;
const first = Number(values.seed);
const begun = performance.now();
let [played, broken] = [0, 0];
while (played < count && performance.now() - begun < seconds * 1_000) {
  const history =
    values.replay === undefined
      ? drawHistory(first + played)
      : JSON.parse(readFileSync(values.replay, 'utf8'));
  const problems = await play(history, values.dist);
  played += 1;
  if (problems.length === 0) continue;
  broken += 1;
  console.log(`seed ${history.seed}: ${problems.join('\n  ')}`);
  if (values['no-shrink'] || values.replay !== undefined) continue;
  const small = await shrink(history, values.dist);
  const path = join(tmpdir(), `nacre-chaos-${history.seed}.json`);
  writeFileSync(path, JSON.stringify(small, null, 1));
  console.log(
    `  shrunk from ${history.operations.length} to ${small.operations.length} operations: --replay ${path}`,
  );
}
console.log(`${played} histories from seed ${first}, ${broken} broken`);
process.exitCode = broken === 0 ? 0 : 1;
