/**
 * What the protocols cost: a call of `true` over MCP and RPC beside the library itself and beside DesktopCommander, the time from
 * the start of a server to its first answer, and 100 calls at once. Writes docs/benchmarks-mcp.md. Takes a few minutes, most of
 * them DesktopCommander's, which answers one call after the other; with --rounds 4 --print it is a quick look.
 *
 *   npm ci --prefix bench/peers --ignore-scripts && npm run build && node bench/mcp.mjs [--rounds 120] [--print]
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBash } from '../dist/index.js';
import { createRpcClient } from '../dist/surfaces/rpc/client/rpc-client.js';
import { McpPeer } from './lib/mcp-peer.mjs';
import { interleave, median, ms, p95, table, times } from './lib/measure.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '120' }, print: { type: 'boolean', default: false } },
});
const ROUNDS = Number(values.rounds);
const STARTS = Math.max(3, Math.round(ROUNDS / 10));
const AT_ONCE = Math.max(1, Math.round(ROUNDS / 40));
const ROOT = join(import.meta.dirname, '..');
const RIVAL = join(ROOT, 'bench/peers/node_modules/@wonderwhy-er/desktop-commander/dist/index.js');

const place = mkdtempSync(join(tmpdir(), 'nacre-bench-mcp-'));
mkdirSync(join(place, 'home'));
const env = { PATH: process.env.PATH, HOME: join(place, 'home') };
const SERVERS = {
  'nacre mcp': {
    command: [process.execPath, join(ROOT, 'bin/nacre.cjs'), 'mcp'],
    call: (peer) => peer.call('bash', { command: 'true' }),
  },
  ...(existsSync(RIVAL)
    ? {
        DesktopCommander: {
          command: [process.execPath, RIVAL],
          call: (peer) => peer.call('start_process', { command: 'true', timeout_ms: 5_000 }),
        },
      }
    : {}),
};

try {
  const page = render(await measureCalls(), await measureStarts());
  if (values.print) console.log(page);
  else writeFileSync(join(ROOT, 'docs/benchmarks-mcp.md'), page);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

async function measureCalls() {
  const bash = createBash({ settings: false, cwd: place, stateDirectory: join(place, 'library') });
  const peers = {};
  for (const [name, { command }] of Object.entries(SERVERS)) {
    peers[name] = new McpPeer(command, { env, cwd: place });
    await peers[name].initialize();
  }
  const rpc = createRpcClient({ env, cwd: place });
  const one = {
    'the library': () => bash.call({ command: 'true' }),
    'nacre rpc': () => rpc.bash({ command: 'true' }),
    ...Object.fromEntries(Object.entries(SERVERS).map(([name, { call }]) => [name, () => call(peers[name])])),
  };
  say(`one call, ${ROUNDS} times`);
  const single = await interleave(one, { rounds: ROUNDS });
  const hundred = Object.fromEntries(
    Object.entries(one).map(([name, call]) => [name, () => Promise.all(Array.from({ length: 100 }, call))]),
  );
  say(`100 calls at once, ${AT_ONCE} times`);
  // Everybody is warm by now.
  const atOnce = await interleave(hundred, { rounds: AT_ONCE, warmup: 0 });
  for (const peer of Object.values(peers)) await peer.close();
  await rpc.close();
  await bash.close();
  return { single, atOnce };
}

function measureStarts() {
  const start = async (command) => {
    const peer = new McpPeer(command, { env, cwd: place });
    await peer.initialize();
    // What the time is taken of ends here; the rest is the next one's warm-up.
    void peer.close();
  };
  const candidates = Object.fromEntries(
    Object.entries(SERVERS).map(([name, { command }]) => [name, () => start(command)]),
  );
  say(`a start, ${STARTS} times`);
  return interleave(candidates, { rounds: STARTS, restMs: 500 });
}

function say(what) {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
}

function render({ single, atOnce }, starts) {
  const [{ model = 'unknown' } = {}, { length: cores }] = [cpus()[0], cpus()];
  const rows = (found, base) =>
    [...found].map(([name, took]) => [
      name,
      ms(median(took)),
      ms(p95(took)),
      times(median(took) / median(found.get(base))),
    ]);
  const head = (base) => ['', 'median', '95th percentile', `beside ${base}`];
  return `# What the protocols cost

Taken with \`node bench/mcp.mjs\` on Node ${process.version}, ${cores} × ${model.trim()}; candidates take turns, so that a slow minute slows all of them. Each
MCP server is spoken to on stdin and stdout by the same few lines, \`nacre rpc\` by its own client. A call counts as answered when its result is there, exit code and output included.

## One call of \`true\`

${table(head('the library'), rows(single, 'the library'))}

## 100 calls of \`true\` at once

${table(head('the library'), rows(atOnce, 'the library'))}

## From the start of the server to its first answer

The first answer is that to \`initialize\`. What V8 made of the bundle is kept from the start before.

${table(head('nacre mcp'), rows(starts, 'nacre mcp'))}
`;
}
