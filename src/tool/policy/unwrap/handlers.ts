import * as code from '../builtins/code.ts';
import { cd, popd } from '../builtins/directory.ts';
import { PRODUCERS, WRITERS } from '../builtins/producers.ts';
import * as variables from '../builtins/variables.ts';
import { fd, find } from '../find/find.ts';
import { git } from '../git/git.ts';
import { LANGUAGE_NAMES } from '../language/languages.ts';
import { program } from '../language/program.ts';
import { EDITORS, editor } from '../programs/editor.ts';
import { elsewhere } from '../programs/elsewhere.ts';
import { EXEC_OPTION_NAMES, execOptions } from '../programs/exec-options.ts';
import { make } from '../programs/make.ts';
import { removers } from '../programs/remover.ts';
import { rsync } from '../programs/rsync.ts';
import { sedRuns } from '../programs/sed-runs.ts';
import type { Handler } from '../state/machine.ts';
import { WRITTEN } from '../state/machine.ts';
import { literalOf, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { parseOptions } from './options.ts';
import { SHELLS, shell, source, su } from './shell.ts';
import { inside, unwrap } from './unwrap.ts';
import { WRAPPERS } from './wrappers.ts';
import { parallel, xargs } from './xargs.ts';

/** `command -v name`, `type -P name`: prints where it is, which is what it is. */
const lookUp: Handler = ({ argv }) => {
  const { operands } = parseOptions(argv.slice(1), {});
  return [concat(...operands.flatMap((name) => [name, toField('\n')]))];
};

const runCommand = unwrap('command', WRAPPERS.get('command') ?? {});

const command: Handler = (call, machine) => {
  const { options } = parseOptions(call.argv.slice(1), {});
  return options.some(({ name }) => name === 'v') ? lookUp(call, machine) : runCommand(call, machine);
};

/** Programs of several minds: `bun x` wraps, `bun -e` is a language. */
function both(first: Handler, second: Handler): Handler {
  return (call, machine) => {
    const printed = first(call, machine);
    return second(call, machine) ?? printed;
  };
}

const SSH: Handler = new Map(elsewhere).get('ssh') ?? execOptions;

/** `yarn rimraf x`: a program of the project by its name. */
const localProgram: Handler = (call, machine) => {
  const name = literalOf(call.argv[1]) ?? '';
  if (!LOCAL_PROGRAMS.has(name)) return undefined;
  machine.perform({
    ...call,
    frame: inside(call.frame, literalOf(call.argv[0]) ?? ''),
    argv: call.argv.slice(1),
    plain: true,
  });
  return WRITTEN;
};

const LOCAL_PROGRAMS: ReadonlySet<string> = new Set([
  'rimraf',
  'del-cli',
  'shx',
  'cross-env',
  'concurrently',
]);

const bun = both(unwrap('bun', WRAPPERS.get('bun') ?? {}), program);

/** Commands that run, set or move something: looked at wherever they stand. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...[...WRAPPERS].map(([name, wrapper]): [string, Handler] => [name, unwrap(name, wrapper)]),
  ...SHELLS.map((name): [string, Handler] => [name, shell]),
  ...LANGUAGE_NAMES.map((name): [string, Handler] => [name, program]),
  ...EXEC_OPTION_NAMES.map((name): [string, Handler] => [name, execOptions]),
  ...WRITERS,
  ...elsewhere,
  ['ssh', both(execOptions, SSH)],
  ['rsync', both(execOptions, rsync)],
  ['sed', both(sedRuns, PRODUCERS.get('sed') ?? sedRuns)],
  ['gsed', sedRuns],
  ['make', make],
  ['gmake', make],
  ...removers,
  ...EDITORS.map((name): [string, Handler] => [name, editor]),
  ['bun', both(bun, localProgram)],
  ['yarn', both(unwrap('yarn', WRAPPERS.get('yarn') ?? {}), localProgram)],
  ['pnpm', both(unwrap('pnpm', WRAPPERS.get('pnpm') ?? {}), localProgram)],
  ['command', command],
  ['su', su],
  ['runuser', su],
  ['source', source],
  ['.', source],
  ['find', find],
  ['fd', fd],
  ['fdfind', fd],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
  ['sem', parallel],
  ['git', git],
  ['hub', git],
  ['cd', cd],
  ['pushd', cd],
  ['popd', popd],
  ['eval', code.evalBuiltin],
  ['trap', code.trap],
  ['alias', code.alias],
  ['shopt', code.shopt],
  ['compgen', code.compgen],
  ['let', code.letBuiltin],
  ['at', code.later],
  ['batch', code.later],
  ['crontab', code.crontab],
  ['tmux', code.tmux],
  ['declare', variables.declare],
  ['typeset', variables.declare],
  ['export', variables.declare],
  ['readonly', variables.declare],
  ['local', variables.declare],
  ['unset', variables.unset],
  ['set', variables.set],
  ['shift', variables.shift],
  ['read', variables.read],
  ['mapfile', variables.mapfile],
  ['readarray', variables.mapfile],
  ['getopts', variables.getopts],
]);

/** Commands that matter only for what they print. */
export const LISTENED: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...PRODUCERS,
  ['type', lookUp],
]);
