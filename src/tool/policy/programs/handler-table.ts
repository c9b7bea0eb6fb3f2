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
import { ALREADY_PRINTED, type CommandHandler } from '../values/command-evaluation.ts';
import { toLiteral } from '../values/field.ts';
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
import { handleLookup, OUTPUT_PRODUCERS, WRITING_PRODUCERS } from './output-producers.ts';
import { REMOTE_HANDLERS } from './remote-commands.ts';
import * as builtins from './shell-builtins.ts';

const runCommand = createWrapperHandler('command', WRAPPERS.get('command') ?? {});

const handleCommand: CommandHandler = (call, context) => {
  const { options } = parseProgramOptions(call.argv.slice(1), {});
  return options.some(({ name }) => name === 'v') ? handleLookup(call, context) : runCommand(call, context);
};

/** Combines handlers of programs with several modes: `bun x` runs a program, `bun -e` runs code. */
function combineHandlers(first: CommandHandler, second: CommandHandler): CommandHandler {
  return (call, context) => {
    const printed = first(call, context);
    return second(call, context) ?? printed;
  };
}

const handleSsh: CommandHandler = new Map(REMOTE_HANDLERS).get('ssh') ?? handleExecOptions;

/** Evaluates `yarn rimraf x`, where the first argument is a program of the project. */
const handleLocalProgram: CommandHandler = (call, context) => {
  const name = toLiteral(call.argv[1]) ?? '';
  if (!LOCAL_PROGRAMS.includes(name)) return undefined;
  const frame = enterFrame(call.frame, toLiteral(call.argv[0]) ?? '');
  context.perform({ ...call, frame, argv: call.argv.slice(1), plain: true });
  return ALREADY_PRINTED;
};

const LOCAL_PROGRAMS: readonly string[] = ['rimraf', 'del-cli', 'shx', 'cross-env', 'concurrently'];

function withHandler(names: readonly string[], handler: CommandHandler): [string, CommandHandler][] {
  return names.map((name) => [name, handler]);
}

const WRAPPER_HANDLERS: ReadonlyMap<string, CommandHandler> = new Map(
  [...WRAPPERS].map(([name, wrapper]) => [name, createWrapperHandler(name, wrapper)]),
);

/** Returns the handlers of a package manager, which can also run programs of the project by name. */
function packageManager(
  name: string,
  handler: CommandHandler = handleLocalProgram,
): [string, CommandHandler] {
  return [name, combineHandlers(WRAPPER_HANDLERS.get(name) ?? handler, handler)];
}

/** Handlers of commands that run commands, set variables or change the directory. */
export const COMMAND_HANDLERS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ...WRAPPER_HANDLERS,
  ...withHandler(SHELL_NAMES, handleShell),
  ...withHandler(LANGUAGE_NAMES, handleInlineProgram),
  ...withHandler(EXEC_OPTION_PROGRAMS, handleExecOptions),
  ...WRITING_PRODUCERS,
  ...REMOTE_HANDLERS,
  ['ssh', combineHandlers(handleExecOptions, handleSsh)],
  ['rsync', combineHandlers(handleExecOptions, handleRsync)],
  ['sed', combineHandlers(handleSedExec, OUTPUT_PRODUCERS.get('sed') ?? handleSedExec)],
  ['gsed', handleSedExec],
  ...withHandler(['make', 'gmake'], handleMake),
  ...REMOVER_HANDLERS,
  ...withHandler(EDITOR_NAMES, handleEditor),
  packageManager('bun', combineHandlers(handleInlineProgram, handleLocalProgram)),
  packageManager('yarn'),
  packageManager('pnpm'),
  ['command', handleCommand],
  ...withHandler(['su', 'runuser'], handleSu),
  ...withHandler(['source', '.'], handleSource),
  ['find', handleFind],
  ...withHandler(['fd', 'fdfind'], handleFd),
  ...withHandler(['xargs', 'gxargs'], handleXargs),
  ...withHandler(['parallel', 'sem'], handleParallel),
  ...withHandler(['git', 'hub'], handleGit),
  ...withHandler(['cd', 'pushd'], builtins.handleCd),
  ['popd', builtins.handlePopd],
  ['eval', builtins.handleEval],
  ['trap', builtins.handleTrap],
  ['alias', builtins.handleAlias],
  ['shopt', builtins.handleShopt],
  ['compgen', builtins.handleCompgen],
  ['let', builtins.handleLet],
  ...withHandler(['at', 'batch'], builtins.handleAt),
  ['crontab', builtins.handleCrontab],
  ['tmux', builtins.handleTmux],
  ...withHandler(['declare', 'typeset', 'export', 'readonly', 'local'], builtins.handleDeclare),
  ['unset', builtins.handleUnset],
  ['set', builtins.handleSet],
  ['shift', builtins.handleShift],
  ['read', builtins.handleRead],
  ...withHandler(['mapfile', 'readarray'], builtins.handleMapfile),
  ['getopts', builtins.handleGetopts],
]);
