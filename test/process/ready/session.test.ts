import { expect, test, vi } from 'vitest';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { waiting } from '../../helpers/ready.ts';
import { useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory } = useRealBash();

/** Calls until a shell that waited has served it, and says what it printed. */
async function served(bash: Bash, command: string): Promise<string> {
  for (let attempt = 0; attempt < 40; attempt++) {
    await vi.waitFor(() => expect(waiting(stateDirectory).length).toBeGreaterThan(0), { timeout: 20_000 });
    await new Promise((resolve) => setTimeout(resolve, 15 + attempt * 5));
    const ready = waiting(stateDirectory);
    const { run } = await bash.call({ command });
    if (ready.includes(String(run.runId))) return String(run.output.text);
  }
  throw new Error('no shell that waited served it');
}

test('a session that remembers is served, too: what was kept is read while the shell waits', async () => {
  const bash = open({ readyShells: 2 });
  await bash.call({ command: 'export KEPT="one two"; greet() { echo "hello $1"; }; alias hi="echo hey"' });
  expect(await served(bash, 'echo "$KEPT"; greet you')).toBe('one two\nhello you\n');
  expect(await served(bash, 'hi there')).toBe('hey there\n');
  await bash.call({ command: 'KEPT=three' });
  expect(await served(bash, 'echo $KEPT')).toBe('three\n');
  await bash.close();
});

test('in a session that exports all that is assigned nothing of ours is exported', async () => {
  const bash = open({ readyShells: 2 });
  const plain = open({ readyShells: 0 });
  for (const each of [bash, plain]) await each.call({ command: 'set -a; OWN=1' });
  const names = "env | sed -n 's/=.*//p' | sort | tr '\\n' ' '";
  // One that is read in the place of the `-c` text, and one that is read by a bash of its own.
  for (const command of [`OTHER=2; ${names}`, `if true; then ${names}; fi`]) {
    const { run } = await plain.call({ command });
    expect(run.output.text).toContain(' OWN ');
    expect(await served(bash, command)).toBe(run.output.text);
  }
  // What a command switches off is off.
  await served(bash, 'set +a');
  expect(await served(bash, 'LATER=3; env | grep -c LATER')).toBe('0\n');
  await Promise.all([bash.close(), plain.close()]);
});

test('what a session exports is for its commands: no start of a bash stumbles over it', async () => {
  const bash = open({ readyShells: 2 });
  await bash.call({
    command: 'export LC_ALL=xx_YY.nonsense LD_PRELOAD=/nowhere.so POSIXLY_CORRECT=1 OWN=1; f() { :; }',
  });
  const look = 'if true; then echo "$LC_ALL $LD_PRELOAD $POSIXLY_CORRECT $OWN"; type -t f; fi';
  expect(await served(bash, look)).toBe('xx_YY.nonsense /nowhere.so 1 1\nfunction\n');
  await bash.close();
});

test.each([0, 2])(
  'a value of a call is a value, whatever the name has become (%i ready)',
  async (readyShells) => {
    const bash = open({ readyShells });
    await bash.call({ command: 'declare -i A; declare -u B; declare -a C; declare -ri D=4' });
    for (const command of ['echo "$A|$B|$C|$D"', 'if true; then echo "$A|$B|$C|$D"; fi']) {
      if (readyShells > 0) await served(bash, 'true');
      const { run } = await bash.call({ command, env: { A: 'a b', B: 'low', C: 'c', D: 'd e' } });
      expect(run.output.text).toBe('a b|low|c|4\n');
      expect(run.notes).toContain('Read-only in this session and not changed: D.');
    }
    await bash.close();
  },
);

test('what one call was given is not there in the next', async () => {
  const bash = open({ readyShells: 2, shellState: false });
  await served(bash, 'true');
  const first = await bash.call({ command: 'echo "[$SECRET_OF_ONE]"', env: { SECRET_OF_ONE: 'x1' } });
  expect(first.run.output.text).toBe('[x1]\n');
  expect(await served(bash, 'echo "[$SECRET_OF_ONE]"; env | grep -c SECRET_OF_ONE')).toBe('[]\n0\n');
  await bash.close();
});

test('ten instances in one program do not meet', async () => {
  const ten = Array.from({ length: 10 }, (_, index) =>
    open({ readyShells: 1, shellState: false, env: { WHO: String(index) } }),
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  const texts = await Promise.all(ten.map((bash) => bash.call({ command: 'echo $WHO' })));
  expect(texts.map(({ run }) => run.output.text)).toEqual(ten.map((_, index) => `${index}\n`));
  await Promise.all(ten.map((bash) => bash.close()));
});
