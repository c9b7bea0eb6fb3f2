import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { PROBES } from './attacks/probes.mjs';
import { isSkipped } from './bench.ts';

interface Outcome {
  readonly name: string;
  readonly control: string | null;
  readonly sandbox: string;
}

/** A number that is nobody's: an ordinary user without a name. */
const SOMEBODY = 61_234;

const isRoot = userInfo().uid === 0;
const room = mkdtempSync(join(tmpdir(), 'nacre-attacks-'));

beforeAll(() => {
  // Whoever attacks must be able to read the program, wherever the repository lies.
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

  beforeAll(() => {
    if (uid === 0 && !isRoot) return;
    const home = join(room, `home-${uid}`);
    mkdirSync(home);
    if (isRoot) execFileSync('chown', [`${uid}:${uid}`, home]);
    const words = [join(room, 'attacks/run-probes.mjs'), join(room, 'dist')];
    // A directory of PATH that it may not enter would end its every start.
    const env = {
      ...process.env,
      HOME: home,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    };
    const prefix =
      isRoot && uid !== 0 ? ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'] : [];
    const [program = '', ...rest] = [...prefix, process.execPath, ...words];
    const { stdout, stderr, status } = spawnSync(program, rest, {
      env,
      encoding: 'utf8',
      cwd: room,
      timeout: 170_000,
    });
    if (status !== 0) throw new Error(`the attacker ended with ${status}: ${stderr}`);
    for (const line of stdout.trim().split('\n')) {
      const outcome = JSON.parse(line) as Outcome;
      outcomes.set(outcome.name, outcome);
    }
  }, 180_000);

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
