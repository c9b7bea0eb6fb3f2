import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bash } from '../../../src/tool/call/bash.ts';
import type { CallResult } from '../../../src/tool/contract/result.ts';
import { useRealBash } from '../../helpers/real-bash.ts';

const { open } = useRealBash();
const root = realpathSync(mkdtempSync(join(tmpdir(), 'nacre-state-')));
mkdirSync(join(root, 'sub/deep'), { recursive: true });

function session(more: object = {}): Bash {
  return open({ cwd: root, ...more });
}

async function output(bash: Bash, command: string, more: object = {}): Promise<string> {
  return (await bash.call({ command, ...more })).run.output.text;
}

async function run(bash: Bash, ...commands: readonly string[]): Promise<CallResult> {
  let last: CallResult | undefined;
  for (const command of commands) last = await bash.call({ command });
  if (last === undefined) throw new Error('no command');
  return last;
}

/** What is there in the next call: [a command that changes the shell, one that looks, what it sees]. */
const CARRIED: readonly (readonly [string, string, string])[] = [
  ['X=1', 'echo "$X"; env | grep -c ^X=', '1\n0\n'],
  ['export X=1', 'env | grep ^X=', 'X=1\n'],
  [
    'X=$\'a\\nb "c" $d `e` \\\\\'',
    'printf "%s" "$X" | od -An -c | tr -s " \\n" " "',
    ' a \\n b " c " $ d ` e ` \\ ',
  ],
  ["X=$'\\xff\\x01\\x7f\\xfe'", 'printf %s "$X" | od -An -tx1', ' ff 01 7f fe\n'],
  ['X=ünï', 'echo "$X"', 'ünï\n'],
  [
    'a=(1 "2 3" $\'4\\n\'); a[7]=8',
    'declare -p a',
    'declare -a a=([0]="1" [1]="2 3" [2]=$\'4\\n\' [7]="8")\n',
  ],
  ['declare -A m=([k]=v ["a b"]="c]d")', 'echo "${m[k]} ${m[a b]} ${#m[@]}"', 'v c]d 2\n'],
  ['declare -i n=5', '(n=n+1; echo $n)', '6\n'],
  ['declare -l l=ABC; declare -u u=abc', 'l=XYZ u=xyz; echo $l $u', 'xyz XYZ\n'],
  // What was there before the attribute stays as it is.
  [
    'u=abc l=ABC n=text; a=(q R); declare -u u a; declare -l l; declare -ri n',
    'declare -p u l n a; (u=new; echo $u)',
    'declare -u u="abc"\ndeclare -l l="ABC"\ndeclare -ir n="text"\ndeclare -au a=([0]="q" [1]="R")\nNEW\n',
  ],
  // Two places where bash itself is not what it says: lists under such an IFS, and `BASHOPTS`.
  ["f() { echo kept; }; IFS=$'\\001\\177'", 'f; printf %q "$IFS"', "kept\n$'\\001\\177'"],
  ['shopt -s dotglob; GLOBIGNORE=x; unset GLOBIGNORE', 'shopt dotglob', 'dotglob        \toff\n'],
  ['time X=1', 'echo "$X"', '1\n'],
  ['time cd sub', 'pwd', `${root}/sub\n`],
  ['foo=5; declare -n ref=foo', 'ref=6; echo $foo', '6\n'],
  ['readonly R=1', 'R=2; echo "not reached"', 'bash: line 1: R: readonly variable\n'],
  ['declare -x E', 'declare -p E', 'declare -x E\n'],
  ['unset HOME', 'echo "${HOME-gone}"', 'gone\n'],
  ['export -n HOME', 'env | grep -c ^HOME=; echo ${HOME:+there}', '0\nthere\n'],
  ['f() { echo "f: $*"; }', 'f a b', 'f: a b\n'],
  ['g() { cat <<E\n}\nh () \n{\nE\n}', 'g', '}\nh () \n{\n'],
  ['f() { echo exported; }; export -f f', 'bash -c f', 'exported\n'],
  ['alias hi="echo hello"', 'hi there', 'hello there\n'],
  ['umask 077', 'umask', '0077\n'],
  ['shopt -s extglob nullglob', 'shopt -p extglob nullglob', 'shopt -s extglob\nshopt -s nullglob\n'],
  ['set -o pipefail -f', 'false | true; echo $?; echo *', '1\n*\n'],
  ['shopt -s extglob\nf() { [[ $1 == @(a|b) ]] && echo yes; }', 'f b', 'yes\n'],
  ['IFS=,', 'x=a,b; printf "<%s>" $x', '<a><b>'],
  ['cd sub', 'pwd; echo "$OLDPWD"; (cd -)', `${root}/sub\n${root}\n${root}\n`],
  ['cd sub && true', 'pwd; echo "$OLDPWD"', `${root}/sub\n${root}\n`],
  [
    'pushd sub >/dev/null; pushd deep >/dev/null',
    'dirs -l; (popd >/dev/null; pwd)',
    `${root}/sub/deep ${root}/sub ${root}\n${root}/sub\n`,
  ],
  ['. <(echo "S=sourced; s() { echo \\$S; }")', 'echo $S; s', 'sourced\nsourced\n'],
  ['eval "E=1"', 'echo $E', '1\n'],
  ['read -r L <<<"line"; mapfile -t M < <(printf "1\\n2\\n")', 'echo $L ${M[@]}', 'line 1 2\n'],
  ['for i in 1 2 3; do :; done; ((j = 4)); : ${k:=5}', 'echo $i $j $k', '3 4 5\n'],
  ['printf -v V "%03d" 7', 'echo $V', '007\n'],
  ['X=kept; exit 3', 'echo $X', 'kept\n'],
  ['X=kept; set -e; false; X=lost', 'echo $X $-', 'kept hBc\n'],
  ['f() { X=kept; exit 4; }; f', 'echo $X', 'kept\n'],
  ['X=kept; nonsense_command_xyz', 'echo $X', 'kept\n'],
  ['X=kept; trap "echo int" INT', 'echo $X; trap', 'kept\n'],
];

describe('state that the next call has', () => {
  test.each(CARRIED)('%s', async (change, look, seen) => {
    const bash = session();
    const { run: changed } = await run(bash, change);
    expect(changed).not.toHaveProperty('stateReset');
    expect(await output(bash, look)).toBe(seen);
    // And in the one after that, too.
    expect(await output(bash, look)).toBe(seen);
  });
});

/** What is not carried. */
const NOT_CARRIED: readonly (readonly [string, string, string])[] = [
  ['set -euxv', 'echo $-', 'hBc\n'],
  ['set -- a b c', 'echo $#', '0\n'],
  ['ulimit -n 99', '[[ $(ulimit -n) != 99 ]] && echo "own limits"', 'own limits\n'],
  ['RANDOM=5; SECONDS=999; OPTIND=7', 'echo $((SECONDS < 900)) $OPTIND', '1 1\n'],
  ['(X=1; cd sub); X=2 true; { Y=3; } | cat', 'echo "${X-}${Y-}$PWD"', `${root}\n`],
  ['X=1 & wait', 'echo "${X-none}"', 'none\n'],
  ['coproc cat', 'echo "${COPROC-none}${COPROC_PID-}"', 'none\n'],
  [
    'f() { local X=inner PATH=/nowhere; g; }; g() { local Y=2; exit; }; f',
    'echo ${X-none} ${Y-none}; ls >/dev/null && echo "PATH is well"',
    'none none\nPATH is well\n',
  ],
];

describe('state that is not kept', () => {
  test.each(NOT_CARRIED)('%s', async (change, look, seen) => {
    const bash = session();
    await run(bash, change);
    expect(await output(bash, look)).toBe(seen);
  });

  test("a call's own variables, and what the command made of them", async () => {
    const bash = session();
    await run(bash, 'X=session');
    const own = "it's $X";
    expect(await output(bash, 'echo "$X"', { env: { X: own } })).toBe(`${own}\n`);
    await bash.call({ command: 'X="$X, changed"; Y=2', env: { X: 'call' } });
    expect(await output(bash, 'echo "$X $Y"')).toBe('session 2\n');
  });

  test('a directory that a call names; a cd of its command is', async () => {
    const bash = session();
    await bash.call({ command: 'true; :', cwd: 'sub' });
    expect(await output(bash, 'pwd')).toBe(`${root}\n`);
    await bash.call({ command: 'cd deep', cwd: 'sub' });
    expect(await output(bash, 'pwd')).toBe(`${root}/sub/deep\n`);
  });

  test.each([
    ["alias if='echo no' hi='echo hello'", 'if true; then hi; fi', 'hello\n', 'if'],
    ['builtin() { command echo mine; }; k=1', 'type -t builtin; echo $k', 'builtin\n1\n', 'builtin'],
  ])('state that the next shell could not restore: %s', async (change, look, seen, named) => {
    const bash = session();
    const { notes, output: printed } = (await run(bash, change)).run;
    expect(printed.text).toBe('');
    expect(notes).toEqual([`Not kept for the next call: ${named} (reserved words of the shell).`]);
    expect(await output(bash, look)).toBe(seen);
  });

  test('functions and aliases like builtins are kept, and do not meet our own lines', async () => {
    const bash = session();
    await run(bash, 'for n in set trap : . unset printf; do eval "$n() { command echo mine; }"; done');
    expect(await output(bash, '/bin/echo a | /bin/cat')).toBe('a\n');
    expect((await run(bash, 'X=1; /bin/echo b')).run).toMatchObject({ output: { text: 'b\n' } });
    expect(await output(bash, 'builtin echo $X; set; trap')).toBe('1\nmine\nmine\n');
  });

  test('a secret that was granted', async () => {
    const inheritedEnv = {
      PATH: process.env.PATH,
      HOME: root,
      MY_API_TOKEN: 'sk-abcdefghijklmnop0123456789',
    };
    const bash = session({ inheritedEnv, secrets: { grants: ['MY_API_TOKEN'] } });
    const { notes } = (await run(bash, 'COPY="x$MY_API_TOKEN"; Z=1')).run;
    expect(notes.join()).toContain('Not kept for the next call: COPY');
    expect(await output(bash, 'echo "${COPY-none} $Z ${#MY_API_TOKEN}"')).toBe('none 1 29\n');
  });
});

/** Each changes X and then takes the end away. */
const LOST: readonly { command: string; reason: string; timeout?: number }[] = [
  { command: 'X=lost; exec true', reason: 'replaced' },
  { command: 'X=lost; eval \'trap "true" EXIT\'', reason: 'replaced' },
  { command: 'X=lost; trap "true" EXIT', reason: 'own_trap' },
  { command: 'X=lost; trap -p', reason: 'own_trap' },
  { command: 'X=lost; kill -9 $$', reason: 'signaled' },
  { command: 'X=lost; kill -TERM $$', reason: 'signaled' },
  { command: 'X=lost; sleep 1000', reason: 'timed_out', timeout: 1 },
  { command: 'cd sub && kill -9 $$', reason: 'signaled' },
];

describe('never silently', () => {
  test.each(LOST)('$command', async ({ reason, ...call }) => {
    const bash = session();
    await run(bash, 'X=before');
    const { run: lost } = await bash.call(call);
    expect(lost.stateReset).toBe(reason);
    expect(lost.notes.join()).toContain('as they were before this call');
    expect(await output(bash, 'echo $X $PWD')).toBe(`before ${root}\n`);
  });

  test('an abort', async () => {
    const bash = session();
    await run(bash, 'X=before');
    const controller = new AbortController();
    const onUpdate = (): void => controller.abort();
    const call = bash.call(
      { command: 'X=lost; echo ready; sleep 1000' },
      { signal: controller.signal, onUpdate },
    );
    await expect(call).rejects.toMatchObject({ result: { run: { stateReset: 'aborted' } } });
    expect(await output(bash, 'echo $X')).toBe('before\n');
  });

  test('a command that cannot change its shell loses nothing', async () => {
    const bash = session();
    await run(bash, 'X=before');
    const { run: ended } = await bash.call({ command: 'sleep 1000', timeout: 1 });
    expect(ended).not.toHaveProperty('stateReset');
  });

  test('a deleted directory is reported once, and the session returns to its start directory', async () => {
    const gone = mkdtempSync(join(root, 'gone-'));
    const bash = session();
    await run(bash, `cd ${gone}`, `rmdir ${gone}`);
    const { error } = await bash.call({ command: 'pwd' });
    expect(error).toMatchObject({ id: 'session_cwd_missing' });
    expect(error?.message).toContain(`Working directory does not exist: ${gone}`);
    expect(await output(bash, 'pwd')).toBe(`${root}\n`);
  });
});
