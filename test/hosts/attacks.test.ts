import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { LINK_ATTACKS, RACES } from './attacks/link-attacks.mjs';
import { PROBES } from './attacks/probes.mjs';
import { isSkipped } from './bench.ts';

interface Outcome {
  readonly name: string;
  readonly control: string | null;
  readonly sandbox: string;
}

interface LinkOutcome {
  readonly name: string;
  readonly planted?: string | null;
  readonly error: string | null;
  readonly output: string;
  readonly isChanged: boolean;
}

/** A uid without an account: an ordinary user. */
const SOMEBODY = 61_234;

const isRoot = userInfo().uid === 0;
const room = mkdtempSync(join(tmpdir(), 'nacre-attacks-'));

beforeAll(() => {
  // The attacking user must be able to read the program, wherever the repository is.
  cpSync('dist', join(room, 'dist'), { recursive: true });
  cpSync('test/hosts/attacks', join(room, 'attacks'), { recursive: true });
  cpSync('package.json', join(room, 'package.json'));
  execFileSync('chmod', ['a+rX', '-R', room]);
  chmodSync(room, 0o755);
});
afterAll(() => removeDirectory(room));

describe.skipIf(isSkipped('sandbox')).each([
  ['root', 0],
  ['an ordinary user', isRoot ? SOMEBODY : userInfo().uid],
])('attacks by %s', (who, uid) => {
  const outcomes = new Map<string, Outcome>();
  const links = new Map<string, LinkOutcome>();

  beforeAll(() => {
    if (uid === 0 && !isRoot) return;
    const home = join(room, `home-${uid}`);
    mkdirSync(home);
    if (isRoot) execFileSync('chown', [`${uid}:${uid}`, home]);
    for (const outcome of attack<Outcome>('run-probes.mjs', { uid, home }))
      outcomes.set(outcome.name, outcome);
    for (const outcome of attack<LinkOutcome>('run-links.mjs', { uid, home }))
      links.set(outcome.name, outcome);
  }, 350_000);

  test.skipIf(uid === 0 && !isRoot).each(LINK_ATTACKS.map(({ name }) => name))(
    '%s is not followed, and the error names it',
    (name) => {
      const outcome = links.get(name);
      expect(outcome).toMatchObject({ planted: null, output: '', isChanged: false });
      expect(outcome?.error).toMatch(/\/work\/\S+ is a symbolic link to \S+\..*Remove the link/);
    },
  );

  test.skipIf(uid === 0 && !isRoot).each(RACES.map(({ name }) => `race on ${name}`))(
    '%s: nothing outside is read or written',
    (name) => {
      const outcome = links.get(name);
      expect(outcome?.isChanged).toBe(false);
      expect(outcome?.output).not.toContain('hush');
    },
  );

  test.skipIf(uid === 0 && !isRoot)('a sandbox that was refused leaves no process', () => {
    expect(links.get('leftovers')?.output).toBe('');
  });

  test.skipIf(uid === 0 && !isRoot).each(PROBES.map((probe) => [probe.name, probe] as const))(
    '%s is stopped',
    (name, probe) => {
      const { control, sandbox } = outcomes.get(name) ?? {
        control: null,
        sandbox: 'ESCAPED: it did not run',
      };
      if (probe.control === 'any' || (probe.control === 'root' && who === 'root'))
        expect(control).toContain('ESCAPED');
      expect(sandbox).not.toContain('ESCAPED');
    },
  );
});

/** Runs a script of attacks as a user and returns the outcomes that it prints. */
function attack<T>(script: string, { uid, home }: { uid: number; home: string }): T[] {
  // Without directories of PATH that the user may not enter, which would make every start fail.
  const env = {
    ...process.env,
    HOME: home,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  };
  const prefix =
    isRoot && uid !== 0 ? ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'] : [];
  const words = [process.execPath, join(room, 'attacks', script), join(room, 'dist')];
  const [program = '', ...rest] = [...prefix, ...words];
  const { stdout, stderr, status } = spawnSync(program, rest, {
    env,
    encoding: 'utf8',
    cwd: room,
    timeout: 170_000,
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
