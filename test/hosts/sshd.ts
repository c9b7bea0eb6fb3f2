import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SshConfig } from '../../src/tool/options/host-config.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';

/** A real sshd on loopback with its own keys, for one test file. */
export interface Sshd {
  readonly port: number;
  readonly directory: string;
  readonly identityFile: string;
  /** Values for `-o`; only its own host key is known. */
  readonly options: readonly string[];
  readonly destination: string;
  /** This server as a host in the settings. */
  readonly box: SshConfig;
  /** Cuts the connection: kills the processes that serve it and the shared master. */
  cut(): void;
  /** Sends SIGKILL to the daemon and all its connections, and starts another daemon. */
  crash(): Promise<void>;
  stop(): void;
}

export interface SshdPlace {
  readonly address?: string;
  /** A free port by default. */
  readonly port?: number;
  /** Arguments before the command of the daemon: where it runs. */
  readonly prefix?: readonly string[];
}

export async function startSshd(place: SshdPlace = {}): Promise<Sshd> {
  const { address = '127.0.0.1', prefix = [] } = place;
  const directory = mkdtempSync(join(tmpdir(), 'nacre-sshd-'));
  const file = (name: string): string => join(directory, name);
  for (const name of ['host', 'id'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  copyFileSync(file('id.pub'), file('authorized'));
  chmodSync(file('authorized'), 0o600);
  const port = place.port ?? (await freePort());
  writeFileSync(
    file('config'),
    [
      `Port ${port}`,
      `ListenAddress ${address}`,
      `HostKey ${file('host')}`,
      `AuthorizedKeysFile ${file('authorized')}`,
      `PidFile ${file('pid')}`,
      // With SHLVL=2 bash does not read the user's rc file, which may be slow or wait for the lock of a killed
      // process.
      'SetEnv SHLVL=2',
      ...['StrictModes no', 'UsePAM no', 'PasswordAuthentication no', 'MaxStartups 100', 'MaxSessions 200'],
      '',
    ].join('\n'),
  );
  const [type, key] = readFileSync(file('host.pub'), 'utf8').split(' ');
  writeFileSync(file('known'), `[${address}]:${port} ${type} ${key}\n`);
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  const [program = '', ...words] = [...prefix, '/usr/sbin/sshd', '-D', '-e', '-f', file('config')];
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    await untilListening(child);
    return child;
  };
  let daemon = await launch();
  const options = [
    `UserKnownHostsFile=${file('known')}`,
    ...['GlobalKnownHostsFile=/dev/null', 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes'],
  ];
  const way = { destination: address, port, identityFile: file('id'), options };
  return {
    ...way,
    directory,
    box: { type: 'ssh', ...way, configFile: '/dev/null' },
    cut: () => {
      for (const pid of [...children(daemon.pid ?? 0), ...masters(directory)]) kill(pid);
    },
    crash: async () => {
      const gone = new Promise((resolve) => daemon.once('exit', resolve));
      const served = children(daemon.pid ?? 0);
      daemon.kill('SIGKILL');
      for (const pid of served) kill(pid);
      await gone;
      daemon = await launch();
    },
    stop: () => {
      for (const pid of children(daemon.pid ?? 0)) kill(pid);
      daemon.kill('SIGKILL');
      removeDirectory(directory);
    },
  };
}

function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
}

/** Masters of shared connections. */
function masters(directory: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandLine(pid).includes(`ssh: ${join(directory, 'c')}`)).map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function untilListening(daemon: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    daemon.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Server listening')) resolve();
    });
    daemon.on('exit', () => reject(new Error(`sshd ended: ${text}`)));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
