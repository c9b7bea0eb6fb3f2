/** Real far ends for the benchmark of hosts: an sshd on loopback, a container of docker, one of podman. */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const run = (program, words, more = {}) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], ...more });

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Tries until it succeeds. */
export async function until(attempt) {
  for (let left = 300; ; left--) {
    try {
      return attempt();
    } catch (error) {
      if (left === 0) throw error;
      await pause(100);
    }
  }
}

export async function startSshd(room) {
  const file = (name) => join(room, name);
  mkdirSync(room, { recursive: true });
  mkdirSync('/run/sshd', { recursive: true });
  for (const name of ['host', 'id']) run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  const port = await freePort();
  const lines = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${file('host')}`, 'UsePAM no', 'StrictModes no'],
    ...[`AuthorizedKeysFile ${file('id.pub')}`, `PidFile ${file('pid')}`, 'MaxSessions 200'],
    // Who is cut off all the time comes back all the time.
    'MaxStartups 200',
    // A bash that is not the first does not read the user's file: it is not what is measured.
    'SetEnv SHLVL=2',
  ];
  writeFileSync(file('config'), `${lines.join('\n')}\n`);
  const [type, key] = readFileSync(file('host.pub'), 'utf8').split(' ');
  writeFileSync(file('known'), `[127.0.0.1]:${port} ${type} ${key}\n`);
  let isStopped = false;
  let daemon;
  /** Another one takes the place of one that was killed. */
  const launch = () => {
    if (isStopped) return;
    daemon = spawn('/usr/sbin/sshd', ['-D', '-f', file('config')], { stdio: 'ignore' });
    daemon.once('exit', launch);
  };
  launch();
  const options = [`UserKnownHostsFile=${file('known')}`, 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes'];
  const words = [
    ...['-F', '/dev/null', '-p', String(port), '-i', file('id'), '-T', '-S', file('raw')],
    ...options.flatMap((option) => ['-o', option]),
    ...['-o', 'ControlMaster=auto', '-o', 'ControlPersist=60', '-o', 'BatchMode=yes', '127.0.0.1'],
  ];
  await until(() => run('ssh', [...words, 'true']));
  return {
    daemon: () => daemon,
    words,
    client: {
      ...{ program: '/usr/bin/ssh', destination: '127.0.0.1', port, identityFile: file('id'), options },
      ...{ configFile: '/dev/null', shell: 'bash', socketDirectory: file('c'), env: process.env },
    },
    stop: () => {
      isStopped = true;
      try {
        run('ssh', ['-S', file('raw'), '-O', 'exit', '127.0.0.1']);
      } catch {
        // Somebody has killed it.
      }
      daemon.kill('SIGTERM');
    },
  };
}

const PROGRAMS =
  'bash cat ls head tail dd sleep mkdir mkfifo rm rmdir mv ln touch tr wc env grep setsid true df date';

/** A container of bash and coreutils. */
export async function startContainer(program, room) {
  const root = join(room, 'root');
  for (const name of ['bin', 'usr/bin', 'tmp', 'root', 'etc', 'proc', 'dev'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of PROGRAMS.split(' ')) {
    const path = run('bash', ['-c', 'type -P "$0"', name]).trim();
    copyFileSync(path, join(root, 'usr/bin', name));
    for (const library of run('ldd', [path]).match(/\/\S+/g) ?? []) {
      mkdirSync(dirname(join(root, library)), { recursive: true });
      copyFileSync(library, join(root, library));
    }
  }
  symlinkSync('../usr/bin/bash', join(root, 'bin/bash'));
  const { words, env, stop } = program === 'docker' ? startDocker(room) : planPodman(room);
  const engine = (more, input) => run(program, [...words, ...more], { env, input, maxBuffer: 2 ** 28 });
  await until(() => engine(['version']));
  const image = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 2 ** 28 });
  engine(['import', '-c', 'ENV PATH=/usr/bin:/bin', '-', 'nacre:1'], image);
  const limits = program === 'docker' ? ['--network', 'none'] : PODMAN_LIMITS;
  engine(['run', '-d', '--name', 'nacre', ...limits, 'nacre:1', 'sleep', '100000']);
  return {
    ...{ words, env },
    stop: () => {
      engine(['rm', '--force', 'nacre']);
      stop();
    },
  };
}

function startDocker(room) {
  const env = { ...process.env, DOCKER_HOST: `unix://${room}/docker.sock` };
  const places = ['--data-root', `${room}/data`, '--exec-root', `${room}/exec`, '--pidfile', `${room}/pid`];
  const network = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--ip-forward=false'];
  const daemon = spawn('dockerd', ['-H', env.DOCKER_HOST, ...places, ...network], { stdio: 'ignore' });
  return { words: [], env, stop: () => daemon.kill('SIGTERM') };
}

const PODMAN_LIMITS = ['--network', 'host', '--ulimit', 'nproc=4000:4000', '--ulimit', 'nofile=1000:1000'];

function planPodman(room) {
  const store = ['--root', `${room}/store`, '--runroot', `${room}/run`, '--storage-driver', 'vfs'];
  const words = [...store, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
  return { words, env: process.env, stop: () => undefined };
}
