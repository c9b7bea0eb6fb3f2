/**
 * Runs every probe without and within a sandbox, as whoever starts it, against victims of its own, and prints a line of
 * JSON for each: {name, control, sandbox}. Arguments: where the compiled package is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROBES } from './probes.mjs';

const [, , dist = ''] = process.argv;
const { createLocalHost } = await import(`${dist}/engine/hosts/local-host.js`);
const { createSandboxHost } = await import(`${dist}/engine/hosts/sandbox/sandbox-host.js`);
const LISTEN = `import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind('\\0' + sys.argv[1])
s.listen(9)
d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
d.bind(sys.argv[2])
print('ready', flush=True)
while True: s.accept()[0].close()`;
const isRoot = process.getuid() === 0;
const made = [];
const make = (base) => {
  mkdirSync(base, { recursive: true });
  const path = mkdtempSync(join(base, 'nacre-attack-'));
  writeFileSync(join(path, 'secret'), 'hush\n');
  made.push(path);
  return path;
};

const workspace = make(tmpdir());
const victim = make(tmpdir());
const homeVictim = make(homedir());
const systemVictim = isRoot ? make('/opt') : '/opt';
const state = make(tmpdir());
mkdirSync(join(state, 'runs'));
mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
writeFileSync(join(workspace, '.git/config'), '');
execFileSync('gcc', ['-o', join(workspace, 'probe'), join(import.meta.dirname, 'probe.c')]);

const sleeper = spawn('sleep', ['86399'], { env: { ...process.env, HUSH_TOKEN: 'hush' }, stdio: 'ignore' });
const address = readFileSync(`/proc/${sleeper.pid}/maps`, 'latin1').split('-')[0];
const answer = (socket) => {
  socket.on('error', () => undefined);
  socket.end('hello');
};
const listen = (server, where) => new Promise((resolve) => server.listen(where, () => resolve(server)));
const tcp = await listen(createServer(answer), { port: 0, host: '127.0.0.1' });
const sockets = [join(workspace, 'socket'), join(victim, 'socket')];
const abstract = `nacre-attack-${process.pid}`;
const datagram = join(workspace, 'datagram');
// Not by Node: it fills the name up to the longest there is.
const listener = spawn('python3', ['-c', LISTEN, abstract, datagram], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
await new Promise((resolve) => listener.stdout.once('data', resolve));
const servers = [tcp];
for (const path of sockets) servers.push(await listen(createServer(answer), { path }));
const udp = createSocket('udp4');
const udpFile = join(workspace, 'heard');
writeFileSync(udpFile, '');
udp.on('message', (bytes) => writeFileSync(udpFile, bytes));
await new Promise((resolve) => udp.bind(0, '127.0.0.1', resolve));

const shared = /\d+/.exec(execFileSync('ipcmk', ['--shmem', '4096'], { encoding: 'utf8' }))?.[0] ?? '';
const memoryBytes = 64 * 2 ** 20;
const env = {
  MEMORY: String(memoryBytes),
  SHARED: shared,
  ...{ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: homedir(), STATE: state },
  ...{
    VICTIM: victim,
    HOME_VICTIM: homeVictim,
    SYSTEM_VICTIM: systemVictim,
    PROBE: join(workspace, 'probe'),
  },
  ...{
    PID: String(sleeper.pid),
    ADDRESS: address,
    TCP: String(tcp.address().port),
    UDP: String(udp.address().port),
  },
  ...{
    UDP_FILE: udpFile,
    SOCKET: sockets[0],
    FAR_SOCKET: sockets[1],
    ABSTRACT: abstract,
    DATAGRAM: datagram,
  },
};
const spec = {
  ...{ workspace, isWorkspaceWritable: true, writable: [], readable: [], hidden: [], network: 'off' },
  ...{ unixSockets: false, home: homedir(), stateDirectory: state },
  limits: { memoryBytes: null, processes: 512, cpus: null, scratchBytes: 64 * 2 ** 20 },
};
const limited = { ...spec, limits: { ...spec.limits, memoryBytes } };
const hosts = {
  control: createLocalHost({ stateDirectory: join(state, 'control'), onExit: 'end' }),
  sandbox: createSandboxHost({ spec, bwrap: '/usr/bin/bwrap', onExit: 'end' }),
  limited: createSandboxHost({ spec: limited, bwrap: '/usr/bin/bwrap', onExit: 'end' }),
};

async function run(host, command) {
  let text = '';
  const started = await host.start({
    ...{ command, env, cwd: workspace, shell: '/bin/bash', input: { kind: 'empty' }, streams: 'merged' },
    ...{ terminal: null, timeoutMs: 20_000, graceMs: 100, jobTimeoutMs: 60_000, watcher: 'reader' },
    keep: { maxBytes: 2 ** 20, onFull: 'drop_middle', minFreeBytes: 0 },
    ...{ pipeStatus: false, baseEnvironment: null, preamble: '', atExit: '', asked: {} },
    onBytes: (_, chunk) => {
      text += chunk;
    },
  });
  await started.ended;
  writeFileSync(udpFile, '');
  return text;
}

for (const { name, text, control, isLimited = false } of PROBES) {
  const isTried = control === 'any' || (control === 'root' && isRoot);
  const result = {
    name,
    control: isTried ? await run(hosts.control, text) : null,
    sandbox: await run(isLimited ? hosts.limited : hosts.sandbox, text),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
for (const host of Object.values(hosts)) await host.close();
for (const server of servers) server.close();
udp.close();
execFileSync('ipcrm', ['--shmem-id', shared]);
sleeper.kill('SIGKILL');
listener.kill('SIGKILL');
for (const path of made) rmSync(path, { recursive: true, force: true });
process.exit();
