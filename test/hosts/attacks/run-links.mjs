/**
 * Puts links where a sandbox mounts something, starts a sandbox there as the user that runs this, and prints a line of
 * JSON for each attack: {name, planted, error, output, isChanged}. `planted` is the error of the command that made the
 * link, `isChanged` says whether anything was written outside.
 * Arguments: where the compiled package is.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAUNCHES, LINK_ATTACKS, RACES } from './link-attacks.mjs';

const [, , dist = ''] = process.argv;
const { createSandboxHost } = await import(`${dist}/engine/hosts/sandbox/sandbox-host.js`);
const room = mkdtempSync(join(tmpdir(), 'nacre-links-'));
const exchange = join(room, 'exchange');
execFileSync('gcc', ['-o', exchange, join(import.meta.dirname, 'exchange.c')]);
let count = 0;

/** A workspace with a repository, a state directory, and a victim with one file. */
function makePlaces() {
  const base = join(room, String(++count));
  const places = { workspace: join(base, 'work'), state: join(base, 'state'), victim: join(base, 'victim') };
  for (const path of Object.values(places)) mkdirSync(path, { recursive: true });
  mkdirSync(join(places.state, 'runs'));
  writeFileSync(join(places.victim, 'secret'), 'hush\n');
  writeFileSync(join(places.state, 'runs/secret'), 'hush\n');
  return places;
}

function openHost({ workspace, state }, more = {}) {
  const spec = {
    ...{ workspace, isWorkspaceWritable: true, writable: [], readable: [], hidden: [], network: 'off' },
    ...{ unixSockets: false, home: homedir(), stateDirectory: state },
    limits: { memoryBytes: null, processes: 512, cpus: null, scratchBytes: 64 * 2 ** 20 },
    ...more,
  };
  return createSandboxHost({ spec, bwrap: '/usr/bin/bwrap', onExit: 'end' });
}

async function run(host, command, cwd) {
  let output = '';
  try {
    const started = await host.start({
      ...{ command, cwd, shell: '/bin/bash', input: { kind: 'empty' }, streams: 'merged' },
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir() },
      ...{ terminal: null, timeoutMs: 20_000, graceMs: 100, jobTimeoutMs: 60_000, watcher: 'reader' },
      keep: { maxBytes: 2 ** 20, onFull: 'drop_middle', minFreeBytes: 0 },
      ...{ pipeStatus: false, ground: null, preamble: '', atExit: '', asked: {} },
      onBytes: (_, chunk) => {
        output += chunk;
      },
    });
    await started.ended;
    return { error: null, output };
  } catch (error) {
    return { error: error.message, output };
  }
}

const listing = ({ victim, state }) =>
  JSON.stringify(
    [victim, join(state, 'runs')].map((path) => [
      readdirSync(path),
      readFileSync(join(path, 'secret'), 'utf8'),
    ]),
  );

for (const { name, plant, more, look } of LINK_ATTACKS) {
  const places = makePlaces();
  const fill = (text) =>
    text.replace(
      /VICTIM|STATE|WORK/g,
      (word) => places[{ VICTIM: 'victim', STATE: 'state', WORK: 'workspace' }[word]],
    );
  const before = listing(places);
  // The link is made by a command, and the sandbox is built anew because that command has ended it.
  const first = openHost(places);
  const planted = await run(first, `${fill(plant)}; kill -KILL -1`, places.workspace);
  await first.close();
  const host = openHost(places, more === undefined ? {} : JSON.parse(fill(JSON.stringify(more))));
  const result = await run(host, fill(look), places.workspace);
  await host.close();
  process.stdout.write(
    `${JSON.stringify({ name, planted: planted.error, ...result, isChanged: hasChanged(before, listing(places)) })}\n`,
  );
}

/** The state directory has runs of its own by now: of its names only the planted one counts. */
function hasChanged(before, after) {
  const [[names, text], [, runText]] = JSON.parse(before);
  const [[nowNames, nowText], [nowRuns, nowRunText]] = JSON.parse(after);
  const isPlanted = nowRuns.includes('planted');
  return isPlanted || text !== nowText || runText !== nowRunText || String(names) !== String(nowNames);
}

for (const { name, real, link, look } of RACES) {
  const places = makePlaces();
  const before = listing(places);
  const path = join(places.workspace, name);
  if (real === 'directory') mkdirSync(path);
  else writeFileSync(path, '');
  const other = join(places.workspace, 'other');
  symlinkSync(link.replace('VICTIM', places.victim), other);
  const swapper = spawn(exchange, [path, other], { stdio: 'inherit' });
  let output = '';
  for (let launch = 0; launch < LAUNCHES; launch++) {
    const host = openHost(places);
    const result = await run(host, look, places.workspace);
    output += `${result.output}${result.error ?? ''}\n`;
    await host.close();
  }
  const ended = new Promise((resolve) => swapper.on('exit', resolve));
  swapper.kill('SIGKILL');
  await ended;
  process.stdout.write(
    `${JSON.stringify({ name: `race on ${name}`, error: null, output, isChanged: hasChanged(before, listing(places)) })}\n`,
  );
}
/** Processes of our sandboxes that are still there after half a minute. */
async function leftovers() {
  const isOurs = (pid) => {
    try {
      return Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(room);
    } catch {
      return false;
    }
  };
  for (let tries = 0; ; tries++) {
    const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name));
    if (found.length === 0 || tries === 300) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
process.stdout.write(`${JSON.stringify({ name: 'leftovers', output: (await leftovers()).join(' ') })}\n`);
// Sandboxes clear their own directories away a moment later.
for (let tries = 0; ; tries++) {
  try {
    rmSync(room, { recursive: true, force: true });
    break;
  } catch (error) {
    if (tries === 300) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
process.exit();
