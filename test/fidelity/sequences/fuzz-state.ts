import { createRandom } from '../random.ts';

const VARIABLES = ['a', 'b', 'c', 'LONG_name', '__u', 'constructor', 'PATH2', 'REPLY', 'MAPFILE'];
const FUNCTIONS = ['f', 'g', 'h-h', 'i.i', 'toString', '_p'];
const ALIASES = ['al', 'al2', 'x-y', 'zz'];
const VALUES = [
  ...[
    "''",
    'plain',
    "'two words'",
    "$'new\\nline'",
    "$'tab\\there'",
    "$'\\xff\\xfe'",
    "'é ü 漢'",
    "'it'\\''s'",
  ],
  ...['\'$HOME `x` "q" \\\\\'', "$'\\001\\177'", "'*'", "'-n'", "'~'", '"a  b"', "'a=b;c'", "'!#'", "$'\\r'"],
  ...[
    "' lead'",
    "'trail '",
    "$'\\n'",
    "$'a\\n'",
    '\'declare -- x="1"\'',
    '$\'x\\ndeclare -- y="2"\'',
    "'12'",
  ],
  ...["'AbC'", '007', "'{'", "'('"],
];
const KEYS = ['k', "'two words'", "'a]b'", "$'n\\nl'", '\'"q"\'', "'@'", "'*'", '1', "'$x'", "'é'"];
const SHOPT = (
  'autocd cdable_vars cdspell checkhash checkwinsize cmdhist dotglob execfail extglob extquote failglob globasciiranges ' +
  'globstar gnu_errfmt huponexit inherit_errexit lastpipe localvar_inherit localvar_unset nocaseglob nocasematch nullglob ' +
  'shift_verbose sourcepath xpg_echo'
).split(' ');
const SET = 'braceexpand errtrace functrace hashall noclobber noglob pipefail physical allexport'.split(' ');

/** A function that gives commands which change their shell in small ways, another one each time. */
export function fuzzedChanges(seed: number, directories: readonly string[]): () => string {
  const random = createRandom(seed);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const name = (): string => pick(VARIABLES);
  const value = (): string => pick(VALUES);
  const map = (): string => `([${pick(KEYS)}]=${value()} [${pick(KEYS)}]=${value()})`;
  const fresh = (make: (name: string) => string): string => {
    const chosen = name();
    return `unset ${chosen}; ${make(chosen)}`;
  };
  const steps: readonly (() => string)[] = [
    ...variables({ pick, name, value, map, fresh }),
    ...functions({ pick, value }),
    () => `alias ${pick(ALIASES)}=${value()}`,
    () => pick([`unalias ${pick(ALIASES)}`, 'unalias -a']),
    () => `shopt -${pick(['s', 'u'])} ${pick(SHOPT)} ${pick(SHOPT)}`,
    () => `set ${pick(['-', '+'])}o ${pick(SET)}`,
    () =>
      pick(['set -euo pipefail; set +eu', 'set -- one two', 'set -x; set +x', 'set -o posix; set +o posix']),
    () => `${pick(['cd', 'pushd', 'pushd -n'])} ${pick(directories)}`,
    () => pick(['cd ..', 'cd -', 'cd', 'popd', 'pushd', 'pushd +1', 'popd +1', 'dirs -c', '. ./sourced.sh']),
    () => `umask ${pick(['022', '077', '000', 'u=rwx,g=,o='])}`,
    () => pick([`IFS=${value()}`, 'unset IFS', "IFS=$' \\t\\n'"]),
    () => pick(["trap 'echo hi' USR1", 'trap - USR1', 'exec 3</dev/null; exec 3<&-', 'coproc { :; }; wait']),
    () =>
      pick([
        'PATH=$PATH:/x',
        `HOME=${pick(directories)}`,
        'LC_ALL=C',
        'export TZ=UTC',
        "PS4='> '",
        'TMOUT=0',
      ]),
    () => pick(["GLOBIGNORE='*.o'", 'unset GLOBIGNORE', 'POSIXLY_CORRECT=1; unset POSIXLY_CORRECT']),
  ];
  const step = (): string => steps[Math.floor(random() * steps.length)]?.() ?? ':';
  return () => Array.from({ length: 1 + Math.floor(random() * 3) }, step).join(pick(['; ', '\n']));
}

interface Parts {
  readonly pick: (list: readonly string[]) => string;
  readonly name: () => string;
  readonly value: () => string;
  readonly map: () => string;
  readonly fresh: (make: (name: string) => string) => string;
}

function variables({ pick, name, value, map, fresh }: Parts): readonly (() => string)[] {
  return [
    () => `${name()}${pick(['=', '=', '+='])}${value()}`,
    () =>
      `${pick(['export', 'export', 'declare -g', 'declare -u', 'declare -l', 'declare -t'])} ${name()}=${value()}`,
    () =>
      `${pick(['export', 'export -n', 'unset', 'unset -v', 'declare -i', 'declare -u', 'declare +x'])} ${name()}`,
    () => `declare -${pick(['a', 'A', 'ai', 'Ax', 'lx'])} ${name()}`,
    () => `${name()}${pick(['=', '+='])}(${value()} ${value()})`,
    () => `${name()}=([3]=${value()} [7]=${value()})`,
    () => `unset '${name()}[0]'`,
    () => fresh((chosen) => `declare -A ${chosen}=${map()}`),
    () => fresh((chosen) => `declare -n ${chosen}=target; ${chosen}=${value()}; unset -n ${chosen}`),
    () => `unset -n ref; declare -n ref=${name()}`,
    () => `printf -v ${name()} %s ${value()}`,
    () => `read -r ${name()} <<< ${value()}`,
    () =>
      pick([`mapfile -t lines <<< ${value()}`, 'let n+=3', '((m = 62))', 'declare -i k=2+3', 'arr[1+1]=v']),
    () => pick(['readonly r1', `declare -r r2=${value()}`, `readonly -a r3=(${value()})`]),
    () => `( ${name()}=${value()}; cd / )`,
    () => `echo ${value()} | read ${name()}`,
    () => `${name()}=${value()} ${pick(['true', ':'])}`,
    () => `: \${${name()}:=${value()}}`,
    () => `${pick(['time', '!', 'command eval', 'builtin declare', 'false ||', 'true &&'])} ${name()}=word`,
    () => `for ${name()} in 1 2; do :; done`,
    () => `{ ${name()}=group; }; if true; then ${name()}=if; fi`,
  ];
}

function functions({ pick, value }: Pick<Parts, 'pick' | 'value'>): readonly (() => string)[] {
  const named = (): string => pick(FUNCTIONS);
  return [
    () => `${named()}() { echo ${value()}; }`,
    () => `${named()}() { local q=${value()}; q2=$q; }`,
    () => `function ${named()} { cat <<E1\n${pick(['}', 'text', '$a', '`echo`', 'f () '])}\nE1\n}`,
    () => `${named()}() ( cd /; x=1 )`,
    () => `${named()}() { case $1 in a|b) :;; (*) [[ $1 =~ ^x ]] && (( i++ )) ;; esac; } 2>/dev/null`,
    () => `${named()}() { for i in "$@"; do echo "\${i//[^a-z]/_}" $'\\n' <(echo); done; }`,
    () => `${pick(['unset -f', 'export -f', 'declare -ft'])} ${pick(['f', 'g', 'toString'])}`,
    () => `g() { declare -g global=${value()}; local -x inner=1; }; g`,
    () => `h() { local a=${value()}; b=$a; }; h`,
  ];
}
