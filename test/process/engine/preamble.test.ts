import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunRequest } from '../../../src/engine/run/run-request.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, state } = useLocalHost();

async function run(command: string, more: Partial<RunRequest>): Promise<string> {
  const watched = await start(command, more);
  await watched.run.ended;
  return watched.output();
}

test('the ground is read first, then the text of the call, then the command', async () => {
  const ground = join(state, 'ground');
  writeFileSync(ground, 'X=ground\ngreet() { echo "hello $X"; }\n');
  expect(await run('greet', { baseEnvironment: ground })).toBe('hello ground\n');
  expect(await run('greet', { baseEnvironment: ground, preamble: 'X="$X and call"' })).toBe(
    'hello ground and call\n',
  );
});

test('a ground that is gone or prints is not heard of', async () => {
  const ground = join(state, 'loud');
  writeFileSync(ground, 'echo loud\necho loud >&2\nnonsense\nreturn 3\n');
  expect(await run('echo $?', { baseEnvironment: ground })).toBe('0\n');
  expect(await run('echo $?', { baseEnvironment: join(state, 'nowhere') })).toBe('0\n');
});

test('what is to be done at the end is done, and the status stays', async () => {
  const file = join(state, 'end');
  const { run: ended } = await start('Y=7; (exit 3)', { atExit: `echo "$Y" >${file}` });
  expect((await ended.ended).ending).toEqual({ kind: 'exited', exitCode: 3 });
  expect(readFileSync(file, 'utf8')).toBe('7\n');
  const { run: piped } = await start('Y=8; false | true', {
    atExit: `echo "$Y" >${file}`,
    pipeStatus: true,
  });
  expect((await piped.ended).pipeStatus).toEqual([1, 0]);
  expect(readFileSync(file, 'utf8')).toBe('8\n');
});

const PROBE =
  'echo "$_|$-|$?|$#|$0|$LINENO|${BASH_ENV-unset}|$BASH_SUBSHELL|$SHLVL"; compgen -A function; compgen -v | grep -i nacre_; shopt; set -o';

test.each([
  { name: 'by itself', env: {} },
  { name: 'traced', env: { SHELLOPTS: 'braceexpand:hashall:interactive-comments:xtrace' } },
])('a command finds nothing of what was read before it, $name', async ({ env }) => {
  // The stages of a pipeline trace at the same time: whose line comes first is chance.
  const lines = (text: string): string[] => text.split('\n').sort();
  const plain = await run(PROBE, { env });
  expect(lines(await run(PROBE, { env, preamble: ': anything "$X"' }))).toEqual(lines(plain));
});

test("the user's own file is expanded as bash does it, and traced when it asks for that", async () => {
  const file = join(state, 'own "file"');
  writeFileSync(file, 'OWN=1\nset -x\n');
  const env = { BASH_ENV: '${WHERE}/own "file"', WHERE: state };
  const plain = await run('echo $OWN', { env });
  expect(plain).toBe('+ echo 1\n1\n');
  expect(await run('echo $OWN', { env, preamble: ': x' })).toBe(plain);
});
