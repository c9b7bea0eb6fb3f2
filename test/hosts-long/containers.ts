import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { createContainerConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import type { Open } from '../hosts/bench.ts';
import { makeRootDirectory } from './root-directory.ts';

/** Docker or podman, with options that select a separate engine. */
interface Engine {
  readonly program: 'docker' | 'podman';
  readonly words: readonly string[];
  readonly limits: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Sends SIGKILL to the daemon and starts another one. */
  crash?(): Promise<void>;
  stop(): void;
}

/** What a test does to an engine without the knowledge of the host. */
export interface EngineControls {
  readonly run: (words: readonly string[]) => string;
  readonly crash: () => Promise<void>;
}

/** Starts a container with bash and coreutils that mounts the workspace of the test. */
function openContainer(
  makeEngine: (room: string) => Promise<Engine>,
  onOpen: (controls: EngineControls) => void = () => undefined,
): Open {
  return async ({ state, workspace }) => {
    const room = mkdtempSync(join(tmpdir(), 'nacre-box-'));
    const { program, words, limits, env, stop, crash = () => Promise.resolve() } = await makeEngine(room);
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
    onOpen({ run, crash });
    const client = createContainerConnector({
      ...{ program, shell: 'bash', env, container: 'nacre', user: null },
      options: words,
    });
    return {
      host: createRemoteHost({
        name: program,
        connector: client,
        shell: 'bash',
        stateDirectory: state,
        onExit: 'end',
      }),
      stop: () => {
        run(['rm', '--force', 'nacre']);
        stop();
      },
    };
  };
}

/** Unmounts what a killed daemon left mounted. */
function unmountBelow(room: string): void {
  const paths = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${room}/`));
  for (const path of paths.reverse()) execFileSync('umount', ['-l', path]);
}

/** Starts a separate daemon in one directory, which does not change the machine's network. */
async function makeDocker(room: string): Promise<Engine> {
  const socket = `unix://${room}/docker.sock`;
  const places = ['--data-root', `${room}/data`, '--exec-root', `${room}/exec`, '--pidfile', `${room}/pid`];
  const network = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--ip-forward=false'];
  // Containers survive the daemon.
  const words = ['-H', socket, ...places, ...network, '--live-restore'];
  let daemon = spawn('dockerd', words, { stdio: 'ignore' });
  const env = { ...process.env, DOCKER_HOST: socket };
  const version = (): string =>
    execFileSync('docker', ['version'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const untilUp = () =>
    vi.waitFor(() => expect(version()).toContain('Server'), { timeout: 60_000, interval: 100 });
  await untilUp();
  return {
    crash: async () => {
      const gone = new Promise((resolve) => daemon.once('exit', resolve));
      daemon.kill('SIGKILL');
      await gone;
      // They name processes that are gone.
      for (const file of ['pid', 'exec/containerd/containerd.pid']) rmSync(join(room, file), { force: true });
      daemon = spawn('dockerd', words, { stdio: 'ignore' });
      await untilUp();
    },
    ...{ program: 'docker', words: [], limits: ['--network', 'none'], env },
    stop: () => {
      daemon.on('exit', () => {
        unmountBelow(room);
        removeDirectory(room);
      });
      daemon.kill('SIGTERM');
    },
  };
}

export const openDocker: Open = openContainer(makeDocker);

/** The same with access to the engine. */
export const openDockerFor = (onOpen: (controls: EngineControls) => void): Open =>
  openContainer(makeDocker, onOpen);

/** Without a daemon. The default runtime needs rights and cgroups that a virtual machine may not have. */
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
