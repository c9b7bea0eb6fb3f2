import { parseVariableDeclarations } from '../../../src/engine/shell/shell-dump.ts';

/** What is not carried, by the guide, and what every bash has its own of. */
const NOT_CARRIED =
  /^(?:BASH.*|COLUMNS|COPROC|COPROC_PID|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HISTCMD|IGNOREEOF|LINENO|LINES|NACRE.*|OLDPWD|OPTARG|OPTERR|OPTIND|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_)$/;
/** `expand_aliases`: whoever has aliases in a session wants them used. */
const NOT_COMPARED = /errexit|nounset|xtrace|verbose|noexec|onecmd|expand_aliases|extdebug/;

interface Looked {
  readonly lines: ReadonlySet<string>;
  readonly functions: string;
  readonly directories: string;
}

/** What two looks at a shell have not in common, in words. */
export function differencesBetween(wanted: string, got: string): string[] {
  const [bash, nacre] = [read(wanted), read(got)];
  const only = (one: Looked, other: Looked, sign: string): string[] =>
    [...one.lines].filter((line) => !other.lines.has(line)).map((line) => `${sign} ${line}`);
  const texts = (['functions', 'directories'] as const).flatMap((kind) =>
    bash[kind] === nacre[kind] ? [] : [`- ${bash[kind]}`, `+ ${nacre[kind]}`],
  );
  return [...only(bash, nacre, '-'), ...only(nacre, bash, '+'), ...texts];
}

function read(text: string): Looked {
  const [declarations = '', aliases = '', options = '', functions = '', directories = ''] = text.split('\0');
  const variables = [...parseVariableDeclarations(declarations)].filter(([name]) => !NOT_CARRIED.test(name));
  const switches = options.split('\n').filter((line) => !NOT_COMPARED.test(line));
  const lines = new Set([...variables.map(([, line]) => line), ...aliases.split('\n'), ...switches]);
  return { lines, functions, directories };
}
