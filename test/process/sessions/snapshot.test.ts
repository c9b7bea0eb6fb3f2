import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { captureShell } from '../../../src/engine/shell/capture-shell.ts';
import type { Bash } from '../../../src/tool/call/bash.ts';
import { findMarked } from '../../helpers/local.ts';
import { useRealBash } from '../../helpers/real-bash.ts';
import { removeDirectory } from '../../helpers/remove-directory.ts';

const { open, stateDirectory } = useRealBash();
const root = mkdtempSync(join(tmpdir(), 'nacre-homes-'));
afterAll(() => removeDirectory(root));
let count = 0;

/** A home with these files; `.bash_profile` reads `.bashrc` as most do. */
function home(bashrc: string, more: Readonly<Record<string, string>> = {}): string {
  count += 1;
  const path = join(root, `home-${count}`);
  mkdirSync(path);
  writeFileSync(join(path, '.bashrc'), bashrc);
  writeFileSync(join(path, '.bash_profile'), '. ~/.bashrc\n');
  for (const [name, text] of Object.entries(more)) writeFileSync(join(path, name), text);
  return path;
}

function session(HOME: string, more: Readonly<Record<string, string>> = {}): Bash {
  return open({ cwd: root, inheritedEnv: { PATH: '/usr/bin:/bin', HOME, ...more } });
}

async function output(bash: Bash, command: string): Promise<string> {
  return (await bash.call({ command })).run.output.text;
}

test('functions, aliases, options and PATH of the user are there', async () => {
  const HOME = home(`
[[ $- == *i* ]] || return
alias greet='echo hello'
alias complicated='(echo a | tr a b)'
say() { _say_inner "$@"; }
_say_inner() { echo "said $* $SAY_WITH"; }
SAY_WITH=loud
shopt -s extglob
matches() { [[ $1 == +([0-9]) ]] && echo number; }
export MY_TOOL_HOME=/opt/tool PATH="$HOME/bin:$PATH"
`);
  const bash = session(HOME);
  expect(
    await output(bash, 'greet you; complicated; say it; matches 12; echo $MY_TOOL_HOME ${PATH%%:*}'),
  ).toBe(`hello you\nb\nsaid it loud\nnumber\n/opt/tool ${HOME}/bin\n`);
});

test('interactive settings and secrets are not part of the snapshot', async () => {
  const HOME = home(`
alias ls='ls --color=always -la' rm='rm -i' ll='ls -l'
alias push='curl -H "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789" x'
PS1='$(echo prompt) '; PROMPT_COMMAND='echo prompting'
export EDITOR=vim PAGER=less GIT_EDITOR=vim API_TOKEN=abc-def-ghi DB=postgres://me:hunter2hunter2@host/db
git() { echo "not git"; }
_complete_me() { COMPREPLY=(); }; complete -F _complete_me tool
`);
  const bash = session(HOME);
  expect(await output(bash, 'echo "$EDITOR $PAGER [$API_TOKEN$DB]"; alias; declare -F; type -t git ls')).toBe(
    "true cat []\nalias ll='ls -l'\nfile\nfile\n",
  );
});

/** Files that would harm whoever reads them carelessly. Each sets REACHED as far as it gets. */
const HELL: Readonly<Record<string, string>> = {
  'prints a lot': 'export REACHED=1; seq 1 100000; echo err >&2; printf "\\033[2J\\007"',
  'asks a question': 'export REACHED=1; read -p "name? " name; read -rsn1; select x in a b; do break; done',
  'changes the terminal':
    'export REACHED=1; stty -echo; tput clear; bind "set bell-style none"; reset 2>/dev/null & ',
  'becomes another shell': 'export REACHED=1; exec sh -c "sleep 1000"',
  'becomes another shell if there is one':
    'export REACHED=1; [ -x /bin/sh ] && exec /bin/sh; export REACHED=2',
  exits: 'export REACHED=1; exit 3',
  'unsets HOME': 'export REACHED=1; unset HOME PATH; HOME=/nowhere',
  'stops at errors': 'export REACHED=1; set -eu; false; export REACHED=2',
  'has a syntax error': 'export REACHED=1\nif ; then\n',
  'leaves something running': 'export REACHED=1; sleep 1000 & disown; (setsid sleep 1000 &)',
  'sets its own traps':
    'export REACHED=1; trap "sleep 1000" EXIT; trap "echo debug" DEBUG; trap "" TERM INT HUP',
  traces: 'export REACHED=1; set -xv; exec 2>/dev/null; exec 3>&1 >/dev/null',
  'closes everything': 'export REACHED=1; exec <&- >&- 2>&-',
  'calls its functions like builtins':
    'export REACHED=1; for n in builtin printf declare unset trap shopt set alias dirs mapfile local test exit : [ . cd echo; do eval "function $n { command echo mine; return 7; }"; done',
  'calls its aliases like keywords':
    "export REACHED=1; alias if=x then=y for=z do=a case=b '{=c' '!=d' '[[=e' builtin=f printf=g set=h trap=i .=j exec=k while=l",
  'uses names of ours':
    "export REACHED=1; alias __X='echo hijacked'; __nacre_leave() { echo hijacked; }; readonly __nacre_name=1 __nacre_names=2 __nacre_last=3 __nacre_flags=4",
  'makes everything read-only': 'export REACHED=1; readonly IFS HOME PWD OLDPWD SHELL REPLY=1',
  'sets every option':
    'export REACHED=1; set -fCka -o posix; shopt -s failglob nullglob lastpipe nocasematch xpg_echo',
  'takes builtins away':
    'export REACHED=1; enable -n builtin printf declare shopt trap set unset alias mapfile',
  'hides programs':
    'export REACHED=1 EXECIGNORE="*" GLOBIGNORE="*" FUNCNEST=1 TMOUT=1 BASH_ENV=/nowhere ENV=/nowhere',
  'uses functions of bash for itself':
    'export REACHED=1; command_not_found_handle() { echo cnf; }; PROMPT_COMMAND="exit 9"; shopt -s extdebug; set -o history',
  'opens everything':
    'export REACHED=1; for n in 3 4 5 6 7 8 9 10 255; do eval "exec $n>/dev/null"; done; umask 777; cd /; ulimit -n 20',
  'hides builtins':
    'export REACHED=1; cd() { :; }; unalias -a; enable -n printf 2>/dev/null; enable printf; IFS=x',
};

describe('a file that', () => {
  test.each(Object.entries(HELL))('%s does no harm', async (_, text) => {
    const HOME = home(text);
    const bash = session(HOME);
    const { run } = await bash.call({
      command: 'echo "$REACHED $HOME $-"; type -t echo; printf "%s|" a b; ls / >/dev/null && echo well',
    });
    expect(run.output.text).toBe(`1 ${HOME} hBc\nbuiltin\na|b|well\n`);
    expect(run.notes).toEqual([]);
    // With it the shells go that it keeps ready, which have the same home.
    await bash.close();
    await vi.waitFor(() => expect(findMarked(`HOME=${HOME}`)).toEqual([]), { timeout: 10_000 });
  });

  test('never ends is ended, and commands run without it', async () => {
    const HOME = home('export REACHED=1; sleep 1000');
    const directory = mkdtempSync(join(root, 'capture-'));
    const env = { HOME, PATH: process.env.PATH ?? '' };
    const captured = await captureShell({ shell: '/bin/bash', env, directory, timeoutMs: 300 });
    expect(captured).toEqual({ failure: 'it took longer than 0.3 seconds' });
    expect(findMarked(`HOME=${HOME}`)).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });
});

test('three thousand functions for completion cost a command nothing', async () => {
  const functions = Array.from(
    { length: 3_000 },
    (_, at) =>
      `_comp_${at}() { local cur=$2; COMPREPLY=($(compgen -W "a b" -- "$cur")); }; complete -F _comp_${at} tool${at}`,
  );
  const HOME = home(`${functions.join('\n')}\nmine() { echo mine; }\n`);
  const bash = session(HOME);
  expect(await output(bash, 'mine; declare -F')).toBe('mine\ndeclare -f mine\n');
});

test('tools that live in the shell work: nvm, conda, pyenv and mise have these shapes', async () => {
  const HOME = home(`
export NVM_DIR="$HOME/.nvm"; . "$NVM_DIR/nvm.sh"
__conda_exe() ( echo "conda $*" ); __conda_activate() { export CONDA_PREFIX=/envs/$1; PATH="/envs/$1/bin:$PATH"; }
conda() { case $1 in activate) __conda_activate "$2" ;; *) __conda_exe "$@" ;; esac; }
export PYENV_ROOT="$HOME/.pyenv"; pyenv() { local command=$1; shift; case $command in shell) export PYENV_VERSION=$1 ;; *) echo "pyenv $command" ;; esac; }
export __MISE_EXE=echo; mise() { command "$__MISE_EXE" mise "$@"; }; _mise_hook() { eval "$(mise hook)"; }
PROMPT_COMMAND="_mise_hook\${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
`);
  mkdirSync(join(HOME, '.nvm'));
  writeFileSync(
    join(HOME, '.nvm/nvm.sh'),
    'nvm_echo() { command printf %s\\\\n "$*"; }\nnvm() { case $1 in use) export NVM_BIN="$NVM_DIR/$2/bin"; PATH="$NVM_BIN:$PATH"; nvm_echo "Now using $2";; esac; }\n',
  );
  const bash = session(HOME);
  expect(await output(bash, 'nvm use v20; conda activate work; conda info; pyenv shell 3.12; mise ls')).toBe(
    'Now using v20\nconda info\nmise ls\n',
  );
  // What they changed is there in the next call.
  expect(await output(bash, 'echo "${PATH%%:/[^eh]*}" $CONDA_PREFIX $PYENV_VERSION | tr -s " "')).toContain(
    '/envs/work 3.12',
  );
  expect(await output(bash, 'echo ${NVM_BIN#*/home-*/}')).toBe('.nvm/v20/bin\n');
});

test('it is taken again when a file has changed, or one that it reads', async () => {
  const HOME = home('. ~/.extra\nalias one="echo 1"\n', { '.extra': 'alias two="echo 2"\n' });
  expect(await output(session(HOME), 'one; two')).toBe('1\n2\n');
  writeFileSync(join(HOME, '.extra'), 'alias two="echo two"\n');
  utimesSync(join(HOME, '.extra'), new Date(), new Date(Date.now() + 5_000));
  expect(await output(session(HOME), 'one; two')).toBe('1\ntwo\n');
});

test('a failed snapshot is retried after a minute, and then after an hour', async () => {
  const HOME = home("[[ -e ~/well ]] || kill -9 $$\nalias greet='echo hello'\n");
  const look = async (): Promise<string> => output(session(HOME), 'type -t greet || echo none');
  expect(await look()).toBe('none\n');
  const [meta = ''] = readdirSync(join(stateDirectory, 'snapshots'))
    .map((key) => join(stateDirectory, 'snapshots', key, 'snapshot.json'))
    .filter((path) => readFileSync(path, 'utf8').includes(HOME));
  const age = (ms: number): void => {
    const { at, ...rest } = JSON.parse(readFileSync(meta, 'utf8'));
    writeFileSync(meta, JSON.stringify({ ...rest, at: at - ms }));
  };
  age(61_000);
  expect(await look()).toBe('none\n');
  writeFileSync(join(HOME, 'well'), '');
  age(61_000);
  expect(await look()).toBe('none\n');
  age(3_600_000);
  expect(await look()).toBe('alias\n');
});

test('it is for the user alone', async () => {
  const HOME = home('umask 0; alias one="echo 1"');
  await output(session(HOME), 'one');
  const directory = join(stateDirectory, 'snapshots');
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const stats = statSync(join(directory, name));
    expect(stats.mode & 0o077).toBe(0);
    if (stats.isFile()) expect(readFileSync(join(directory, name), 'utf8')).not.toContain('hunter2');
  }
});

test('variables of the session override the snapshot, and its first PATH entries stay first', async () => {
  const HOME = home('export FROM=rc; PATH=/usr/local/bin:/usr/bin:/bin:$HOME/mine');
  const bash = open({
    cwd: root,
    inheritedEnv: { PATH: '/front/bin:/usr/bin:/bin', HOME },
    env: { FROM: 'session' },
  });
  expect(await output(bash, 'echo $FROM ${PATH%%:*} ${PATH##*/home-*/}')).toBe('session /front/bin mine\n');
  expect((await bash.call({ command: 'echo $FROM', env: { FROM: 'call' } })).run.output.text).toBe('call\n');
});

test('a HOME that is a file has no configuration and causes no error', async () => {
  const file = join(root, 'no-directory');
  writeFileSync(file, '');
  const { run } = await session(file).call({ command: 'echo "$HOME"' });
  expect(run).toMatchObject({ status: 'exited', exitCode: 0, output: { text: `${file}\n` } });
});
