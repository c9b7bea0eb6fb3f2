import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSshConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import type { Open } from '../hosts/bench.ts';
import { type Sshd, startSshd } from '../hosts/sshd.ts';

/**
 * Documentation addresses (RFC 5737) for the two ends of one cable. Both ends are in network namespaces, so the
 * machine's own network does not change.
 */
const NEAR = '198.51.100.1';
const FAR = '198.51.100.2';

/** A separate machine in terms of its network, with an ordinary user. */
export interface FarMachine {
  readonly open: Open;
  /** Disconnects or connects the cable. */
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
  const near = `${name}near`;
  for (const space of [near, name]) ip('netns', 'add', space);
  ip('-n', near, 'link', 'add', 'near0', 'type', 'veth', 'peer', 'name', 'far0', 'netns', name);
  ip('-n', near, 'address', 'add', `${NEAR}/30`, 'dev', 'near0');
  ip('-n', near, 'link', 'set', 'near0', 'up');
  ip('-n', name, 'address', 'add', `${FAR}/30`, 'dev', 'far0');
  ip('-n', name, 'link', 'set', 'far0', 'up');
  // A password that never matches: sshd treats an account without a password as locked.
  run('useradd', '--create-home', '--password', '*', '--shell', '/bin/bash', name);
  const sshd: Sshd = await startSshd({ address: FAR, port: 2222, prefix: ['ip', 'netns', 'exec', name] });
  // sshd reads the keys as that user.
  chmodSync(sshd.directory, 0o755);
  chmodSync(join(sshd.directory, 'authorized'), 0o644);
  const ssh = join(sshd.directory, 'ssh');
  writeFileSync(ssh, `#!/bin/sh\nexec ip netns exec ${near} /usr/bin/ssh "$@"\n`, { mode: 0o755 });
  const [uid, gid] = [run('id', '-u', name), run('id', '-g', name)].map(Number);
  return {
    open: async ({ state, workspace }) => {
      chownSync(workspace, uid ?? 0, gid ?? 0);
      const client = createSshConnector({
        ...{ program: ssh, shell: 'bash', configFile: '/dev/null', env: process.env },
        ...{ destination: `${name}@${FAR}`, port: sshd.port, identityFile: sshd.identityFile },
        options: sshd.options,
        socketDirectory: join(sshd.directory, 'c'),
      });
      return {
        host: createRemoteHost({
          name: 'ssh',
          connector: client,
          shell: 'bash',
          stateDirectory: state,
          onExit: 'end',
        }),
        stop: () => undefined,
      };
    },
    plug: (state) => void ip('-n', near, 'link', 'set', 'near0', state),
    stop: () => {
      sshd.stop();
      for (const space of [near, name]) ip('netns', 'delete', space);
      run('userdel', '--force', '--remove', name);
    },
  };
}
