import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useLocalHost } from '../../helpers/local.ts';

const { request, start, state } = useLocalHost();

/** What bash itself makes of a command in the same place with the same environment. */
function plainBash(command: string, env: Record<string, string> = {}, cwd = state) {
  const full = { ...request(command, { env }).env };
  const { stdout, stderr, status, signal } = spawnSync('/bin/bash', ['-c', command], {
    argv0: 'bash',
    env: full,
    cwd,
    encoding: 'utf8',
    timeout: 5_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { stdout, stderr, status, signal };
}

async function ours(command: string, env: Record<string, string> = {}, cwd = state) {
  const { run, output, errors } = await start(command, { env, cwd, streams: 'apart' });
  const { ending } = await run.ended;
  const status = ending.kind === 'exited' ? ending.exitCode : null;
  const signal = ending.kind === 'signaled' ? ending.signal : null;
  return { stdout: output(), stderr: errors(), status, signal };
}

const SAME = [
  'echo $0 $- $# "$*" $BASH_SUBSHELL $LINENO',
  'echo $SHLVL; bash -c "echo \\$SHLVL"',
  'echo "$PWD"; pwd; cd /; echo "$OLDPWD"',
  'echo "${OLDPWD-unset}"',
  'export | sort | grep -v -e RUN_ID -e " _="',
  'foo',
  'if then',
  'echo "unterminated',
  'set -u; echo $nope',
  'set -e; false; echo no',
  'set -x; echo a; (echo b)',
  'trap "echo bye" EXIT; exit 4',
  'exec echo replaced',
  'exec 3</etc/passwd; read -u 3 x; echo "$x"',
  'while read l; do echo got:$l; done < <(printf "1\\n2\\n")',
  'mapfile -t a < <(printf "1\\n2\\n"); echo ${#a[@]}',
  'declare -n r=foo; foo=5; echo $r',
  'printf "%(%Y)T\\n" -1',
  'diff <(echo a) <(echo b)',
  'ulimit -n 64; ulimit -n; umask 077; umask',
  'cat; read x; echo "$? [$x]"',
  'kill -l | head -1; trap; jobs; times >/dev/null; echo $PPID >/dev/null',
  'cat <<A\nhere $((1+1))\nA\necho after',
  'coproc cat; echo hi >&${COPROC[1]}; exec {COPROC[1]}>&-; cat <&${COPROC[0]}',
  'printf "a\\0b\\xff\\n"',
  'ls -l /proc/self/fd | wc -l',
  'yes | head -1',
  '(exit 3) | true; echo "${PIPESTATUS[@]}"',
  'kill -TERM $$',
  'exit 300',
  'f() { return 9; }; f',
  'echo \'one\ntwo\'\t"three  four"   \\\nfive',
  'echo ünïcödé 日本語 🙂; printf "\\u00e9\\n"',
  'sleep 0.01 & wait $!; echo $?',
  'ps -o tty= -p $$',
  'shopt | grep -c on$; set -o | grep -c on$',
];

describe('as `bash -c` has it', () => {
  test.each(SAME)('%s', async (command) => {
    expect(await ours(command)).toEqual(plainBash(command));
  });
});

test('every byte a command can have arrives', async () => {
  const bytes = Array.from({ length: 255 }, (_, index) => String.fromCodePoint(index + 1)).join('');
  const command = `cat <<'END_OF_IT'\n${bytes}\nEND_OF_IT`;
  expect(await ours(command)).toEqual(plainBash(command));
});

test.each([131_071, 131_072, 400_000])('a command of %d bytes runs whole', async (size) => {
  const tail = '\necho end $#';
  const command = `: '${'x'.repeat(size - tail.length - 4)}'${tail}`;
  expect(Buffer.byteLength(command)).toBe(size);
  expect(await ours(command)).toMatchObject({ stdout: 'end 0\n', status: 0, stderr: '' });
});

test.each<[string, Record<string, string>, string]>([
  [
    'values with quotes, newlines and dollars',
    { ODD: 'a\'b"c\n$HOME `x` \\', EMPTY: '' },
    'declare -p ODD EMPTY',
  ],
  ['options of the shell', { SHELLOPTS: 'braceexpand:hashall:noglob' }, 'echo * $-'],
  ['posix mode', { POSIXLY_CORRECT: '1' }, 'set -o | grep posix'],
  ['a time limit for reading', { TMOUT: '1' }, 'echo $TMOUT'],
  ['exported functions', { 'BASH_FUNC_greet%%': '() {  echo "hello $1"\n}' }, 'greet you'],
  [
    'a function that would break a careless supervisor',
    { 'BASH_FUNC_read%%': '() {  echo mine\n}' },
    'read x',
  ],
  [
    'names that are no names in bash',
    { 'odd-name': '1', 'a.b': '2' },
    "env | grep -e '^odd-name=' -e '^a[.]b=' | sort",
  ],
  ['a level to start from', { SHLVL: '41' }, 'echo $SHLVL'],
  ['an old directory', { OLDPWD: '/usr' }, 'cd - >/dev/null; pwd'],
  ['a locale', { LC_ALL: 'C.UTF-8' }, 'x=日本; echo ${#x}'],
])('%s reach the command as they would reach bash', async (_, env, command) => {
  expect(await ours(command, env)).toEqual(plainBash(command, env));
});

test("the user's BASH_ENV is read, once", async () => {
  const file = join(state, 'bash-env');
  writeFileSync(file, 'echo sourced\n');
  expect((await ours('echo $BASH_ENV', { BASH_ENV: file })).stdout).toBe(`sourced\n${file}\n`);
});

test('$PWD shows the path as it was given, symbolic links included', async () => {
  mkdirSync(join(state, 'real'));
  symlinkSync(join(state, 'real'), join(state, 'link'));
  expect((await ours('pwd; pwd -P', {}, join(state, 'link'))).stdout).toBe(`${state}/link\n${state}/real\n`);
});

test('the output is a pipe: it can be opened again by name', async () => {
  const { stdout, stderr } = await ours(
    'echo a >/dev/stdout; echo b >/dev/stderr; echo c | tee /dev/stderr; [ -p /dev/stdout ] && echo pipe',
  );
  expect([stdout, stderr]).toEqual(['a\nc\npipe\n', 'b\nc\n']);
});
