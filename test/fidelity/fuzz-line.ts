import { createRandom, type Random } from './random.ts';

/** Pieces that make a word, in any number and order. */
const PIECES: readonly string[] = [
  ...['a', 'b-c', '0', '7', 'é', '%s', '=', 'x=1', ',', '.', '-', '--', '+', '^', ':', '@', '~', '/'],
  ...["'q r'", "''", '""', '"d $x"', '"$y"', '"a\\"b"', '"it\'s"', "'$x'", '"\\$x"', '"$#"', '"$@"', '"é ü"'],
  ...['$x', '${y}', '$1', '$#', '$?', '$*', '$nothing', '\\ ', '\\$', '\\\\', "\\'", '\\"', '\\n', '\\*'],
  ...['*', '?', '[ab]', '*.none', ']', 'a#b', '\\#', '1.5', 'if', 'done', 'in', '\\;', '"\t"', "'\t'"],
];

/** What the words are given to. Each ends by itself, prints little and touches only its directory. */
const COMMANDS: readonly string[] = [
  ...[
    'echo',
    'echo',
    'printf "%s|"',
    'echo -n',
    'echo -e',
    'printf %q\\\\n',
    'printf %d\\\\n',
    ':',
    'true',
    'false',
  ],
  ...[
    'test -n',
    '[ a =',
    'x=',
    'y=',
    'export x=',
    'x=5 y=',
    'set --',
    'shift',
    'cd',
    'eval echo',
    'eval',
    'type',
  ],
  ...[
    'nothing-like-this',
    'command echo',
    'builtin echo',
    'command -v',
    'exec echo',
    'let',
    'read x',
    'unset',
  ],
  ...[
    'env printf "%s,"',
    'cat',
    'cat x',
    'ls',
    'touch',
    'sh -c "echo $0 $1" z',
    'bash -c \'echo "$0:$1"\'',
    'wc -l',
  ],
  ...[
    'return',
    'exit',
    'umask',
    'trap "echo usr" USR1; kill -USR1 $$;',
    'trap "echo bye $?" EXIT',
    'alias q=echo',
  ],
  ...[
    'q',
    'set -e',
    'set -u',
    'set -f',
    'set -o pipefail',
    'shopt -s nullglob',
    'shopt -s extglob',
    'wait',
    'dirs',
  ],
  ...[
    'hash',
    'echo $- $0',
    'echo "$BASH_COMMAND"',
    'echo $LINENO',
    'readonly R=',
    'R=2',
    'IFS=',
    'getopts ab o',
  ],
  ...['local v=', 'printf -v x %s', 'mapfile -t m', 'pwd -P >/dev/null', 'sleep 0', 'caller', 'source'],
];

const REDIRECTIONS: readonly string[] = [
  ...[
    '> o',
    '>> o',
    '2>&1',
    '>&2',
    '< o',
    '< nowhere',
    '2>/dev/null',
    '&> o',
    '&>> o',
    '>| o',
    '3> o',
    '1>&-',
  ],
  ...[
    '<> o',
    '> "$x"',
    '> ""',
    '> $nothing',
    '2>e <o',
    '0<&-',
    '> d/e',
    '>o1 >o2',
    '9>&1',
    '1>&9',
    '< /dev/null',
  ],
];

const JOINTS: readonly string[] = ['; ', ' && ', ' || ', ' | ', ' |& ', ';', '&&', '|', ' & wait; ', '||'];
const ENDS: readonly string[] = ['', '', '', '', ';', ' ; ', ' & wait', ' ', '\t'];

/** One line of simple commands for every number, the same every time. */
export function fuzzedLine(seed: number): string {
  const next = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const commands = Array.from({ length: 1 + Math.floor(next() * 4) }, () => oneCommand(pick, next));
  return commands.reduce((line, command) => line + pick(JOINTS) + command) + pick(ENDS);
}

function oneCommand(pick: <T>(list: readonly T[]) => T, next: Random): string {
  const words = Array.from({ length: Math.floor(next() * 4) }, () =>
    Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(PIECES)).join(''),
  );
  const parts = [pick(COMMANDS), ...words];
  if (next() < 0.25) parts.splice(Math.floor(next() * (parts.length + 1)), 0, pick(REDIRECTIONS));
  const text = parts.join(pick([' ', ' ', '  ', '\t']));
  // An assignment takes the first word as its value.
  return text.replace(/=[ \t]+/, '=');
}
