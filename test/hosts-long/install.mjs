/**
 * Installs what the long suite of hosts needs and this machine does not have, from the packages of Debian. Where that is not
 * possible the suites say what they are missing, and are skipped by name.
 */
import { execFileSync } from 'node:child_process';
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
const missing = Object.entries(PACKAGES)
  .filter(([file]) => !existsSync(file))
  .map(([, name]) => name);
if (missing.length > 0) {
  if (process.getuid() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...words) => execFileSync('apt-get', ['-qq', ...words], { env, stdio: ['ignore', 2, 2] });
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...missing);
  } else {
    process.stderr.write(`not here, and only root can install them: ${missing.join(', ')}\n`);
  }
}
