import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { createContainerClient } from '../../src/engine/hosts/remote/container.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import type { Open } from '../hosts/bench.ts';
import { makeRootDirectory } from './root-directory.ts';

/** One of the two programs, with words that lead to an engine of our own. */
interface Engine {
  readonly program: 'docker' | 'podman';
  readonly words: readonly string[];
  readonly limits: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  stop(): void;
}

/** A container with bash and coreutils in it, whose workspace is ours. */
function openContainer(makeEngine: (room: string) => Promise<Engine>): Open {
  return async ({ state, workspace }) => {
    const room = mkdtempSync(join(tmpdir(), 'nacre-box-'));
    const { program, words, limits, env, stop } = await makeEngine(room);
    const run = (more: readonly string[], input?: Buffer): string =>
      execFileSync(program, [...words, ...more], {
        ...{ env, input, encoding: 'utf8', timeout: 120_000 },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    makeRootDirectory(join(room, 'root'));
    const image = execFileSync('tar', ['-C', join(room, 'root'), '-c', '.'], { maxBuffer: 2 ** 28 });
    run(['import', '-c', 'ENV PATH=/usr/bin:/bin', '-', 'nacre:1'], image);
    const volumes = ['-v', `${workspace}:${workspace}`, '-v', '/usr/share:/usr/share:ro'];
    run(['run', '-d', '--name', 'nacre', ...limits, ...volumes, 'nacre:1', 'sleep', '100000']);
    const client = createContainerClient({
      ...{ program, shell: 'bash', env, container: 'nacre', user: null },
      options: words,
    });
    return {
      host: createRemoteHost({ name: program, client, shell: 'bash', stateDirectory: state, onExit: 'end' }),
      stop: () => {
        run(['rm', '--force', 'nacre']);
        stop();
      },
    };
  };
}

/** A daemon of our own, under one directory, that changes nothing of the machine's network. */
export const openDocker: Open = openContainer(async (room) => {
  const socket = `unix://${room}/docker.sock`;
  const places = ['--data-root', `${room}/data`, '--exec-root', `${room}/exec`, '--pidfile', `${room}/pid`];
  const network = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--ip-forward=false'];
  const daemon = spawn('dockerd', ['-H', socket, ...places, ...network], { stdio: 'ignore' });
  const env = { ...process.env, DOCKER_HOST: socket };
  const version = (): string =>
    execFileSync('docker', ['version'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  await vi.waitFor(() => expect(version()).toContain('Server'), { timeout: 60_000, interval: 100 });
  return {
    ...{ program: 'docker', words: [], limits: ['--network', 'none'], env },
    stop: () => {
      daemon.on('exit', () => removeDirectory(room));
      daemon.kill('SIGTERM');
    },
  };
});

/** Without a daemon. Its usual runtime wants rights and cgroups that a virtual machine may not have. */
export const openPodman: Open = openContainer(async (room) => ({
  program: 'podman',
  words: [
    ...['--root', `${room}/store`, '--runroot', `${room}/run`, '--storage-driver', 'vfs'],
    ...['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
  ],
  limits: ['--network', 'host', '--ulimit', 'nproc=4000:4000', '--ulimit', 'nofile=1000:1000'],
  env: process.env,
  stop: () => removeDirectory(room),
}));
