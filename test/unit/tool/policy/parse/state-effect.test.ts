import { describe, expect, test } from 'vitest';
import { analyzeStateEffect } from '../../../../../src/tool/syntax/state-effect.ts';

const known = { names: new Set(['nvm', 'll']), lastPipe: false };

const NOTHING = [
  'npm test',
  'git status --short',
  './configure --prefix=/usr',
  'ls | wc -l',
  'echo "$HOME" $(cd /; pwd)',
  '(cd sub && export X=1)',
  'make && make install || echo failed',
  'X=1 env',
  'if [ -f a ]; then cat a; fi',
  'while sleep 1; do date; done',
  'cat <<E\nX=1\nE',
  'printf "%s\\n" "$x"',
  'read x | cat',
  'sleep 1 &',
  'command -v cd',
  'echo $((1 + 2)) ${x:-y} ${a[0]}',
  'exec 3>&1; echo x >&3',
  'diff <(a) <(b)',
  'exit 3',
  'time make',
  'timeout 5 make',
];

const VARIABLES = [
  'cd sub',
  'X=1',
  'export X=1',
  'cd a && make',
  'for f in *; do echo $f; done',
  'read x <<< y',
  'while read -r l; do :; done < f',
  'printf -v x %s y',
  'echo ${x:=1}',
  'echo $((x++)) $((y = 2))',
  '((x = 1))',
  'shopt -s extglob',
  'set -o pipefail',
  'umask 077',
  'alias x=y',
  'exec {fd}> f',
  'command cd x',
  'mapfile -t a < f',
  'let x=1',
  'echo ${a[x=1]}',
  '{ X=1; }',
  'time X=1',
  'time cd sub',
  'coproc cat',
];

const ANYTHING = [
  'f() { :; }',
  'eval "$x"',
  '. ./env',
  'source env.sh',
  '$cmd x',
  'nvm use 20',
  'll',
  'unset x',
  'declare -f',
  'export -f f',
  'X=1\nif ; then',
];

describe('the effect of a command on its shell', () => {
  test.each(NOTHING)('nothing: %s', (command) =>
    expect(analyzeStateEffect(command, known).effect).toBe('none'),
  );
  test.each(VARIABLES)('all but functions: %s', (command) =>
    expect(analyzeStateEffect(command, known).effect).toBe('variables'),
  );
  test.each(ANYTHING)('anything: %s', (command) =>
    expect(analyzeStateEffect(command, known).effect).toBe('all'),
  );

  test('a last stage that runs in the shell itself counts', () => {
    expect(analyzeStateEffect('echo a | read x', { ...known, lastPipe: true }).effect).toBe('variables');
  });
});

describe('traps', () => {
  test.each([
    'trap x EXIT',
    'trap - 0',
    'trap x SIGEXIT INT',
    'trap',
    'trap -p',
    'y=$(trap -p INT)',
    'trap x DEBUG',
    'trap x $s',
    'set -v',
    'builtin trap x EXIT',
  ])('conflict with the added exit trap: %s', (command) =>
    expect(analyzeStateEffect(command, known).usesExitTrap).toBe(true),
  );
  test.each(['trap x INT', 'trap "" TERM HUP', 'trap x ERR', 'echo trap', 'set -eu'])(
    'do not: %s',
    (command) => expect(analyzeStateEffect(command, known).usesExitTrap).toBe(false),
  );
});
