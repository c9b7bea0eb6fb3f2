/**
 * Installs what the long suite of hosts needs and this machine does not have, from the packages of Debian. Where that is not
 * possible it says what is missing, and the suites that need it are skipped by name. Debian starts the services of some of
 * them where it starts services at all; the suites use none of those.
 *
 * An argument is put before the path of each program that is looked for: what is not below it is taken for missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PACKAGES = {
  '/usr/bin/bwrap': 'bubblewrap',
  '/usr/sbin/sshd': 'openssh-server',
  '/usr/bin/ssh': 'openssh-client',
  '/usr/sbin/dockerd': 'docker.io',
  '/usr/bin/podman': 'podman',
  '/usr/sbin/runc': 'runc',
  '/usr/sbin/slurmctld': 'slurmctld',
  '/usr/sbin/slurmd': 'slurmd',
  '/usr/bin/srun': 'slurm-client',
  '/usr/sbin/munged': 'munge',
  '/sbin/ip': 'iproute2',
  '/usr/bin/pgrep': 'procps',
};

const [, , root = ''] = process.argv;
const missing = Object.entries(PACKAGES)
  .filter(([file]) => !existsSync(root + file))
  .map(([, name]) => name);

/** Whether apt did what it was asked; its own words go to stderr. */
function apt(...words) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-qq', ...words], { env, stdio: ['ignore', 2, 2] }).status === 0;
}

if (missing.length > 0) {
  const isRoot = process.getuid() === 0;
  // Lists that are there may do, when no newer ones are to be had.
  if (isRoot) apt('update');
  const isDone = isRoot && apt('install', '-y', '--no-install-recommends', ...missing);
  if (!isDone) {
    const why = isRoot ? 'could not be installed' : 'not here, and only root can install them';
    process.stderr.write(`${why}: ${missing.join(', ')}\n`);
  }
}
