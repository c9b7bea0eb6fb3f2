import { parseProgramOptions } from '../unwrap/program-options.ts';
import {
  createWrapperHandler,
  enterFrame,
  handleShell,
  handleSource,
  handleSu,
  SHELL_NAMES,
} from '../unwrap/unwrap-command.ts';
import { WRAPPERS } from '../unwrap/wrappers.ts';
import { handleParallel, handleXargs } from '../unwrap/xargs.ts';
import type { CommandHandler } from '../values/command-evaluation.ts';
import { ALREADY_PRINTED } from '../values/command-evaluation.ts';
import { concatFields, toField, toLiteral } from '../values/field.ts';
import {
  EDITOR_NAMES,
  EXEC_OPTION_PROGRAMS,
  handleEditor,
  handleExecOptions,
  handleMake,
  handleSedExec,
} from './command-running-programs.ts';
import { handleRsync, REMOVER_HANDLERS } from './deleting-programs.ts';
import { handleFd, handleFind } from './find.ts';
import { handleGit } from './git-command.ts';
import { handleInlineProgram, LANGUAGE_NAMES } from './inline-program.ts';
import { OUTPUT_PRODUCERS, WRITING_PRODUCERS } from './output-producers.ts';
import { REMOTE_HANDLERS } from './remote-commands.ts';
import * as code from './shell-builtins.ts';
import * as variables from './shell-builtins.ts';
import { handleCd, handlePopd } from './shell-builtins.ts';

/** Evaluates `command -v name` and `type -P name`: the printed path is represented by the name. */
const handleLookup: CommandHandler = ({ argv }) => {
  const { operands } = parseProgramOptions(argv.slice(1), {});
  return [concatFields(...operands.flatMap((name) => [name, toField('\n')]))];
};

const runCommand = createWrapperHandler('command', WRAPPERS.get('command') ?? {});

const handleCommand: CommandHandler = (call, machine) => {
  const { options } = parseProgramOptions(call.argv.slice(1), {});
  return options.some(({ name }) => name === 'v') ? handleLookup(call, machine) : runCommand(call, machine);
};

/** Combines handlers of programs with several modes: `bun x` runs a program, `bun -e` runs code. */
function combineHandlers(first: CommandHandler, second: CommandHandler): CommandHandler {
  return (call, machine) => {
    const printed = first(call, machine);
    return second(call, machine) ?? printed;
  };
}

const handleSsh: CommandHandler = new Map(REMOTE_HANDLERS).get('ssh') ?? handleExecOptions;

/** Evaluates `yarn rimraf x`, where the first argument is a program of the project. */
const handleLocalProgram: CommandHandler = (call, machine) => {
  const name = toLiteral(call.argv[1]) ?? '';
  if (!LOCAL_PROGRAMS.has(name)) return undefined;
  machine.perform({
    ...call,
    frame: enterFrame(call.frame, toLiteral(call.argv[0]) ?? ''),
    argv: call.argv.slice(1),
    plain: true,
  });
  return ALREADY_PRINTED;
};

const LOCAL_PROGRAMS: ReadonlySet<string> = new Set([
  'rimraf',
  'del-cli',
  'shx',
  'cross-env',
  'concurrently',
]);

const handleBun = combineHandlers(
  createWrapperHandler('bun', WRAPPERS.get('bun') ?? {}),
  handleInlineProgram,
);

/** Handlers of commands that run commands, set variables or change the directory. */
export const COMMAND_HANDLERS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ...[...WRAPPERS].map(([name, wrapper]): [string, CommandHandler] => [
    name,
    createWrapperHandler(name, wrapper),
  ]),
  ...SHELL_NAMES.map((name): [string, CommandHandler] => [name, handleShell]),
  ...LANGUAGE_NAMES.map((name): [string, CommandHandler] => [name, handleInlineProgram]),
  ...EXEC_OPTION_PROGRAMS.map((name): [string, CommandHandler] => [name, handleExecOptions]),
  ...WRITING_PRODUCERS,
  ...REMOTE_HANDLERS,
  ['ssh', combineHandlers(handleExecOptions, handleSsh)],
  ['rsync', combineHandlers(handleExecOptions, handleRsync)],
  ['sed', combineHandlers(handleSedExec, OUTPUT_PRODUCERS.get('sed') ?? handleSedExec)],
  ['gsed', handleSedExec],
  ['make', handleMake],
  ['gmake', handleMake],
  ...REMOVER_HANDLERS,
  ...EDITOR_NAMES.map((name): [string, CommandHandler] => [name, handleEditor]),
  ['bun', combineHandlers(handleBun, handleLocalProgram)],
  ['yarn', combineHandlers(createWrapperHandler('yarn', WRAPPERS.get('yarn') ?? {}), handleLocalProgram)],
  ['pnpm', combineHandlers(createWrapperHandler('pnpm', WRAPPERS.get('pnpm') ?? {}), handleLocalProgram)],
  ['command', handleCommand],
  ['su', handleSu],
  ['runuser', handleSu],
  ['source', handleSource],
  ['.', handleSource],
  ['find', handleFind],
  ['fd', handleFd],
  ['fdfind', handleFd],
  ['xargs', handleXargs],
  ['gxargs', handleXargs],
  ['parallel', handleParallel],
  ['sem', handleParallel],
  ['git', handleGit],
  ['hub', handleGit],
  ['cd', handleCd],
  ['pushd', handleCd],
  ['popd', handlePopd],
  ['eval', code.handleEval],
  ['trap', code.handleTrap],
  ['alias', code.handleAlias],
  ['shopt', code.handleShopt],
  ['compgen', code.handleCompgen],
  ['let', code.handleLet],
  ['at', code.handleAt],
  ['batch', code.handleAt],
  ['crontab', code.handleCrontab],
  ['tmux', code.handleTmux],
  ['declare', variables.handleDeclare],
  ['typeset', variables.handleDeclare],
  ['export', variables.handleDeclare],
  ['readonly', variables.handleDeclare],
  ['local', variables.handleDeclare],
  ['unset', variables.handleUnset],
  ['set', variables.handleSet],
  ['shift', variables.handleShift],
  ['read', variables.handleRead],
  ['mapfile', variables.handleMapfile],
  ['readarray', variables.handleMapfile],
  ['getopts', variables.handleGetopts],
]);

/** Handlers of commands that matter only for their output. */
export const OUTPUT_HANDLERS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ...OUTPUT_PRODUCERS,
  ['type', handleLookup],
]);
