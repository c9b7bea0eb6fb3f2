import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Bash, createBash } from '../../../src/index.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';
import { fuzzedChanges } from './fuzz-state.ts';
import { LOOK, LongShell } from './long-shell.ts';
import { differencesBetween } from './shell-look.ts';

const isWhole = process.env.NACRE_FIDELITY === 'all';
const FIRST_SEED = Number(process.env.NACRE_FIDELITY_SEED ?? 0);
const SEQUENCES = isWhole ? 60 : 5;
const CALLS = isWhole ? 25 : 10;

const root = realpathSync(mkdtempSync(join(tmpdir(), 'nacre-sequences-')));
afterAll(() => removeDirectory(root));

test.each([
  ['shells of their own', 0],
  ['shells that were ready', 2],
] as const)(
  'after every call of a session its shell is what one bash would be: %s',
  async (_, readyShells) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++)
      await compareSequence(seed + readyShells * 100_000, readyShells);
  },
);

async function compareSequence(seed: number, readyShells: number): Promise<void> {
  const { cwd, directories, notes } = makePlace(String(seed));
  const bash = createBash({
    cwd,
    stateDirectory: join(notes, 'state'),
    readyShells,
    inheritedEnv: { PATH: '/usr/bin:/bin', HOME: cwd, LANG: 'C.UTF-8' },
    shellSnapshot: false,
    policy: { enabled: false },
  });
  const shell = new LongShell({ cwd, env: await environmentOf(bash), directory: notes });
  try {
    const next = fuzzedChanges(seed, directories);
    const commands: string[] = [];
    for (let call = 0; call < CALLS; call++) {
      const command = next();
      commands.push(command);
      const wanted = await shell.run(command);
      // Whoever leaves with a code of its own keeps its state all the same.
      const { run, error } = await bash.call({ command: call % 5 === 4 ? `${command}\nexit 3` : command });
      const told = `seed ${seed}:\n${commands.join('\n--\n')}`;
      expect([error, run.stateReset], told).toEqual([undefined, undefined]);
      expect(differencesBetween(wanted, await bytesOf(bash, LOOK)), told).toEqual([]);
    }
  } finally {
    shell.close();
    await bash.close();
  }
}

function makePlace(name: string): { cwd: string; directories: readonly string[]; notes: string } {
  const [cwd, notes] = [join(root, name), join(root, `${name}-notes`)];
  const own = [cwd, join(cwd, 'one'), join(cwd, 'one/two'), join(cwd, 'sp ace')];
  for (const directory of [...own, notes]) mkdirSync(directory);
  for (const directory of own)
    writeFileSync(join(directory, 'sourced.sh'), 'sourced=1; sf() { echo sourced; }\n');
  return { cwd, notes, directories: ['/', '/usr/bin', ...own.map((path) => `'${path}'`)] };
}

async function bytesOf(bash: Bash, command: string): Promise<string> {
  let text = '';
  const onBytes = (_: string, chunk: Buffer): void => {
    text += chunk.toString('latin1');
  };
  await bash.call({ command }, { onBytes });
  return text;
}

/** What its commands are started with, as far as it is the same for all of them. */
async function environmentOf(bash: Bash): Promise<Record<string, string>> {
  const pairs = (await bytesOf(bash, 'cat /proc/$$/environ')).split('\0');
  return Object.fromEntries(
    pairs
      .filter((pair) => pair !== '' && !/^(?:_|SHLVL|OLDPWD|PWD|BASH_ENV|NACRE_RUN_ID)=/.test(pair))
      .map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]),
  );
}
