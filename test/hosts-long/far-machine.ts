import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { createSshClient } from '../../src/engine/hosts/remote/ssh.ts';
import type { Open } from '../hosts/bench.ts';
import { type Sshd, startSshd } from '../hosts/sshd.ts';

/** Addresses that are for documentation: nobody's, and here only between two ends of one cable. */
const NEAR = '192.0.2.1';
const FAR = '192.0.2.2';

/** A machine of its own as far as the network is concerned, and an ordinary user on it. */
export interface FarMachine {
  readonly open: Open;
  /** Pulls the cable out, or puts it back. */
  plug(state: 'up' | 'down'): void;
  stop(): void;
}

export function canMakeMachines(): boolean {
  return process.getuid?.() === 0 && existsSync('/sbin/ip') && existsSync('/usr/sbin/useradd');
}

export async function startFarMachine(): Promise<FarMachine> {
  const name = `nacre${process.pid}`;
  const run = (program: string, ...words: string[]): string =>
    execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
  const ip = (...words: string[]): string => run('ip', ...words);
  ip('netns', 'add', name);
  ip('link', 'add', `v${process.pid}`, 'type', 'veth', 'peer', 'name', 'far0', 'netns', name);
  ip('address', 'add', `${NEAR}/30`, 'dev', `v${process.pid}`);
  ip('link', 'set', `v${process.pid}`, 'up');
  ip('-n', name, 'address', 'add', `${FAR}/30`, 'dev', 'far0');
  ip('-n', name, 'link', 'set', 'far0', 'up');
  // A password that nothing matches, rather than none: sshd takes an account without one for locked.
  run('useradd', '--create-home', '--password', '*', '--shell', '/bin/bash', name);
  const sshd: Sshd = await startSshd({ address: FAR, port: 2222, prefix: ['ip', 'netns', 'exec', name] });
  // Its own keys are read by sshd as that user.
  chmodSync(sshd.directory, 0o755);
  chmodSync(join(sshd.directory, 'authorized'), 0o644);
  const [uid, gid] = [run('id', '-u', name), run('id', '-g', name)].map(Number);
  return {
    open: async ({ state, workspace }) => {
      chownSync(workspace, uid ?? 0, gid ?? 0);
      const client = createSshClient({
        ...{ program: '/usr/bin/ssh', shell: 'bash', configFile: '/dev/null', env: process.env },
        ...{ destination: `${name}@${FAR}`, port: sshd.port, identityFile: sshd.identityFile },
        options: sshd.options,
        socketDirectory: join(sshd.directory, 'c'),
      });
      return {
        host: createRemoteHost({ name: 'ssh', client, shell: 'bash', stateDirectory: state, onExit: 'end' }),
        stop: () => undefined,
      };
    },
    plug: (state) => void ip('link', 'set', `v${process.pid}`, state),
    stop: () => {
      sshd.stop();
      ip('netns', 'delete', name);
      run('userdel', '--force', '--remove', name);
    },
  };
}
