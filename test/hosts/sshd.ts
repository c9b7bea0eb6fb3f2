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

/** A real sshd on loopback with keys of its own, for one test file. */
export interface Sshd {
  readonly port: number;
  readonly directory: string;
  readonly identityFile: string;
  /** As after `-o`: its host key is the only one that is known. */
  readonly options: readonly string[];
  readonly destination: string;
  /** As the settings name a host: this one. */
  readonly box: SshConfig;
  /** The link, cut: who serves it and who shares it are killed. */
  cut(): void;
  /** SIGKILL to the daemon and to all of its connections, and another one in its place. */
  crash(): Promise<void>;
  stop(): void;
}

export interface SshdPlace {
  readonly address?: string;
  /** One that is free, unless it is given. */
  readonly port?: number;
  /** Words before its own: where it runs. */
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
      // A bash that is not the first does not read the user's file, which may take long, or wait for a lock of somebody killed.
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

/** Who holds a shared connection to it. */
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
    // Gone.
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
