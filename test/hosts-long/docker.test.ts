import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { createContainerClient } from '../../src/engine/hosts/remote/container.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import type { Open } from '../hosts/bench.ts';
import { proveHost } from '../hosts/conformance.ts';
import { makeRootDirectory } from './root-directory.ts';

/** A daemon of our own, under one directory, that changes nothing of the machine's network. */
const openDocker: Open = async ({ state, workspace }) => {
  const room = mkdtempSync(join(tmpdir(), 'nacre-docker-'));
  const socket = `unix://${room}/docker.sock`;
  const daemon = spawn(
    'dockerd',
    [
      ...[
        '--data-root',
        `${room}/data`,
        '--exec-root',
        `${room}/exec`,
        '-H',
        socket,
        '--pidfile',
        `${room}/pid`,
      ],
      ...['--iptables=false', '--ip6tables=false', '--bridge=none', '--ip-forward=false'],
    ],
    { stdio: 'ignore' },
  );
  const env = { ...process.env, DOCKER_HOST: socket };
  const docker = (words: readonly string[], input?: Buffer): string =>
    execFileSync('docker', words, { env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
  await vi.waitFor(() => expect(docker(['version'])).toContain('Server'), { timeout: 60_000, interval: 100 });
  makeRootDirectory(join(room, 'root'));
  const image = execFileSync('tar', ['-C', join(room, 'root'), '-c', '.'], { maxBuffer: 2 ** 28 });
  docker(['import', '-c', 'ENV PATH=/usr/bin:/bin', '-', 'nacre:1'], image);
  docker([
    'run',
    '-d',
    '--name',
    'nacre',
    '--network',
    'none',
    '-v',
    `${workspace}:${workspace}`,
    '-v',
    '/usr/share:/usr/share:ro',
    'nacre:1',
    'sleep',
    '100000',
  ]);
  const client = createContainerClient({
    program: 'docker',
    shell: 'bash',
    env,
    container: 'nacre',
    user: null,
    options: [],
  });
  return {
    host: createRemoteHost({ name: 'docker', client, shell: 'bash', stateDirectory: state, onExit: 'end' }),
    stop: () => {
      docker(['rm', '--force', 'nacre']);
      daemon.kill('SIGTERM');
      daemon.on('exit', () => removeDirectory(room));
    },
  };
};

proveHost('docker', openDocker);
