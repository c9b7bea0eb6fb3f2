import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../src/tool/approvals/create-policy.ts';

/*
 * Scripts that people wrote for other people, as they are found on this machine. They are read and judged, never run.
 */
const ROOT = join(import.meta.dirname, '../../..');
const GIT = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
const PLACES = [
  ...['scripts', 'src', 'bin', '.ci', 'node_modules/.bin'].map((name) => join(ROOT, name)),
  ...[GIT, '/etc/init.d', '/etc/cron.daily', '/usr/bin', '/usr/sbin'],
];

/**
 * What a machine has besides is its own affair, and no reason to fail here. `NACRE_TEST_ALL_SCRIPTS=1` judges everything that
 * is found in these places.
 */
const PACKAGES = [
  ...[
    'apt',
    'bash',
    'bzip2',
    'coreutils',
    'cron',
    'debconf',
    'debianutils',
    'dpkg',
    'findutils',
    'gettext',
    'git',
  ],
  ...[
    'grep',
    'gzip',
    'kmod',
    'libc-bin',
    'libc6',
    'login',
    'mawk',
    'ncurses-bin',
    'openssh-client',
    'passwd',
  ],
  ...['perl-base', 'procps', 'sed', 'systemd', 'sysvinit-utils', 'tar', 'tzdata', 'util-linux', 'xz-utils'],
];

/**
 * Looked at one by one. They do what the checks are about: `gettextize` deletes all that is in the directory it works in.
 * `kernel-install` deletes a path of more values than are told apart.
 */
const KNOWN: Readonly<Record<string, string>> = {
  gettextize: 'no_dangerous_rm',
  'kernel-install': 'no_dangerous_rm',
};

const MAX_BYTES = 60_000;

interface Script {
  readonly name: string;
  readonly text: string;
}

function scriptsIn(directory: string, depth = 0): readonly Script[] {
  return namesIn(directory).flatMap((name): readonly Script[] => {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return depth < 6 && directory.startsWith(ROOT) ? scriptsIn(path, depth + 1) : [];
    if (!stat?.isFile() || stat.size > MAX_BYTES) return [];
    const text = readFileSync(path, 'utf8');
    return name.endsWith('.sh') || /^#!.*\b(?:ba|da)?sh\b/.test(text.slice(0, 80)) ? [{ name, text }] : [];
  });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The names of scripts that come with a Debian package. */
function namesOf(name: string): readonly string[] {
  const list = join('/var/lib/dpkg/info', `${name}.list`);
  if (!existsSync(list)) return [];
  return readFileSync(list, 'utf8')
    .split('\n')
    .map((path) => basename(path));
}

const known = new Set(PACKAGES.flatMap(namesOf));
const isOurs = (directory: string): boolean => directory.startsWith(ROOT) || directory === GIT;
const all = process.env.NACRE_TEST_ALL_SCRIPTS === '1';
const scripts = [
  ...new Map(
    PLACES.flatMap((place) =>
      scriptsIn(place).filter(({ name }) => all || isOurs(place) || known.has(name)),
    ).map((each) => [each.text, each]),
  ).values(),
];

describe('scripts that people wrote', () => {
  test('are found', () => {
    expect(scripts.length).toBeGreaterThan(20);
  });

  test('may run, all but those that do what the checks are about', () => {
    const policy = createPolicy({ homeSubpaths: 'allow' });
    const alarms = scripts.flatMap(({ name, text }) => {
      const { verdict, findings } = policy.judge(text, { home: '/home/user', cwd: '/home/user/project' });
      const [first] = findings;
      return verdict === 'allow' || KNOWN[name] === first?.rule
        ? []
        : [`${name}: ${first?.rule}: ${first?.found}: ${first?.because}`];
    });
    expect(alarms).toEqual([]);
  });
});
