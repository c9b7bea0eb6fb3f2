import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { useRealBash } from '../../helpers/real-bash.ts';

const { open } = useRealBash();
const root = mkdtempSync(join(tmpdir(), 'nacre-judged-'));

/** What a command may not do, in a form that does nothing if it is done: nothing is there to be added. */
const DENIED = 'permission denied: blind';

async function run(bash: Bash, ...commands: readonly string[]): Promise<string> {
  let last = '';
  for (const command of commands) {
    const { error, run: machine } = await bash.call({ command });
    last = error?.message ?? `ran: ${machine.output.text}`;
  }
  return last.startsWith('permission denied') ? DENIED : last;
}

/** Each of the last commands adds everything; there is no repository to add it to. */
describe('the policy evaluates definitions of earlier commands of the session', () => {
  test.each([
    ["alias everything='git add'", 'everything -A'],
    ["alias g=git; alias a='add -A'", 'g add -A'],
    ["alias run='command '; alias everything='git add -A'", 'run everything'],
    ['save() { git add "$@"; }', 'save -A'],
    ['save() { git add "$@"; }', 's"av"e -A'],
    ['inner() { git add "$1"; }; outer() { inner "$1"; }', 'outer -A'],
    ['all=-A', 'git add "$all"'],
    ['words=(git add -A)', '"${words[@]}"'],
    ['verb=add; all=-A', 'cd /; git $verb $all'],
    ['save() { git add "$@"; }; name=save', '$name -A'],
  ])('%s, then %s', async (first, second) => {
    const bash = open({ cwd: root });
    expect(await run(bash, first)).toMatch(/^ran: /);
    expect(await run(bash, second)).toBe(DENIED);
  });

  test.each([
    ["alias everything='git add'", 'everything a.ts'],
    ['save() { git add "$@"; }', 'save a.ts'],
    ['all=a.ts', 'git add "$all"'],
    ["alias everything='git add'; unalias everything", 'everything -A'],
    ['save() { git add "$@"; }; unset -f save', 'save -A'],
  ])('%s, then %s is not refused', async (first, second) => {
    const bash = open({ cwd: root });
    expect(await run(bash, first, second)).toMatch(/^ran: /);
  });

  test('a function that is called late in a long script', async () => {
    const bash = open({ cwd: root });
    const long = Array.from({ length: 80 }, (_, at) => `echo "line ${at} of many"`).join('\n');
    expect(await run(bash, 'save() { git add "$@"; }', `${long}\nsave -A`)).toBe(DENIED);
  });

  test('sessions do not judge by each other', async () => {
    await run(open({ cwd: root, session: 'one' }), "alias everything='git add'");
    expect(await run(open({ cwd: root, session: 'two' }), 'everything -A')).toMatch(/^ran: /);
    expect(await run(open({ cwd: root, session: 'one' }), 'everything -A')).toBe(DENIED);
  });

  test('and so it is explained', async () => {
    const bash = open({ cwd: root });
    await run(bash, "alias everything='git add'");
    const { verdict, parts } = await bash.explain('everything -A');
    expect([verdict, parts.at(-1)?.via]).toEqual(['deny', ['alias everything']]);
  });
});

test("aliases and functions of the user's own shell are judged, in the first call, too", async () => {
  const HOME = mkdtempSync(join(root, 'home-'));
  mkdirSync(join(HOME, 'work'));
  writeFileSync(join(HOME, '.bashrc'), 'alias everything=\'git add\'\nsave() { git add "$@"; }\n');
  const inheritedEnv = { PATH: process.env.PATH, HOME };
  expect(await run(open({ cwd: HOME, inheritedEnv }), 'everything -A')).toBe(DENIED);
  const bash = open({ cwd: HOME, inheritedEnv });
  expect(await run(bash, 'save -A')).toBe(DENIED);
  expect(await run(bash, 'unalias everything', 'everything -A')).toMatch(/^ran: /);
  // Aliases of a line are replaced when it is read, before any of it is run.
  expect(await run(open({ cwd: HOME, inheritedEnv }), 'unalias everything; everything -A')).toBe(DENIED);
});

/** Every object has something by these names already. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

describe.each(INHERITED)('a name like %s is a name like any other', (name) => {
  test('as a function, an alias and a variable of an earlier call', async () => {
    const [one, other, third] = [1, 2, 3].map(() => open({ cwd: root }));
    if (!one || !other || !third) throw new Error('three are opened');
    expect(await run(one, `${name}() { git add "$@"; }`, `${name} -A`)).toBe(DENIED);
    expect(await run(one, `unset -f ${name}`, `${name} -A`)).toMatch(/^ran: /);
    expect(await run(other, `alias ${name}='git add'`, `${name} -A`)).toBe(DENIED);
    expect(await run(other, `unalias ${name}`, `${name} -A`)).toMatch(/^ran: /);
    expect(await run(third, `${name}=-A`, `git add "$${name}"`)).toBe(DENIED);
    expect(await run(third, `${name}=a.ts`, `git add "$${name}"`)).toMatch(/^ran: /);
    expect(await run(third, `unset ${name}`, `echo "[$${name}]"`)).toBe('ran: []\n');
  });

  test("in the user's own shell", async () => {
    // Functions with an underscore in front are taken when something calls them.
    const called = `${name}() { git add "$@"; }\ncall() { ${name} "$@"; }\n`;
    const homes = [called, `alias ${name}='git add'\n`].map((text) => {
      const HOME = mkdtempSync(join(root, 'home-'));
      writeFileSync(join(HOME, '.bashrc'), text);
      return HOME;
    });
    for (const HOME of homes) {
      const bash = open({ cwd: HOME, inheritedEnv: { PATH: process.env.PATH, HOME } });
      expect(await run(bash, `type ${name} | head -n 1`)).toMatch(/is (?:a function|aliased)/);
      expect(await run(bash, `${name} -A`)).toBe(DENIED);
      expect(await run(bash, `unset -f ${name}; unalias ${name}`, `${name} -A`)).toMatch(/^ran: /);
    }
  });
});

test('an alias of the session that comes and goes uncovers the function it hid', async () => {
  const HOME = mkdtempSync(join(root, 'home-'));
  writeFileSync(join(HOME, '.bashrc'), 'save() { git add "$@"; }\n');
  const bash = open({ cwd: HOME, inheritedEnv: { PATH: process.env.PATH, HOME } });
  expect(await run(bash, 'alias save=true', 'save -A')).toBe('ran: ');
  expect(await run(bash, 'unalias save', 'save -A')).toBe(DENIED);
});
