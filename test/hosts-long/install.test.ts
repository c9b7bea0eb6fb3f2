import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';

const SCRIPT = join(import.meta.dirname, 'install.mjs');
const ALL = [
  ...['bubblewrap', 'openssh-server', 'openssh-client', 'docker.io', 'podman', 'runc', 'slurmctld', 'slurmd'],
  ...['slurm-client', 'munge', 'iproute2', 'procps'],
];

/** Runs the installer with these files and a fake apt that records its arguments. */
function install(files: readonly string[], aptStatus = 0, prefix: readonly string[] = []) {
  const root = temporaryDirectory();
  const asked = join(root, 'asked');
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const text = `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >>'${asked}'\nexit ${aptStatus}\n`;
  writeFileSync(join(bin, 'apt-get'), text, { mode: 0o755 });
  const [program = '', ...words] = [...prefix, process.execPath, SCRIPT, root];
  const { status, stderr } = spawnSync(program, words, {
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    encoding: 'utf8',
  });
  return { status, stderr, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : '' };
}

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('what is missing is installed, and nothing else', () => {
  const { status, asked } = install(['/usr/bin/bwrap', '/usr/bin/ssh']);
  const missing = ALL.filter((name) => name !== 'bubblewrap' && name !== 'openssh-client');
  expect([status, asked]).toEqual([
    0,
    `noninteractive -qq update\nnoninteractive -qq install -y --no-install-recommends ${missing.join(' ')}\n`,
  ]);
});

test.skipIf(!isRoot)('what cannot be installed is named, and the suites go on without', () => {
  const { status, stderr } = install([], 100);
  expect([status, stderr]).toEqual([0, `could not be installed: ${ALL.join(', ')}\n`]);
});

test.skipIf(!isRoot)('who is not root installs nothing, and is told what is missing', () => {
  // For other users a directory that only root can read does not exist: everything is missing.
  const somebody = ['setpriv', '--reuid', '61234', '--regid', '61234', '--clear-groups'];
  const { status, stderr, asked } = install([], 0, somebody);
  expect(asked).toBe('');
  // If the repository is in a private directory of root, another user cannot read the script.
  if (status === 0) expect(stderr).toBe(`not here, and only root can install them: ${ALL.join(', ')}\n`);
});

test.skipIf(spawnSync('apt-cache', ['--version']).status !== 0)('each is a package of this Debian', () => {
  const { stdout } = spawnSync('apt-cache', ['policy', ...ALL], { encoding: 'utf8' });
  expect([...stdout.matchAll(/^ {2}Candidate: (?!\(none\))/gm)]).toHaveLength(ALL.length);
});
