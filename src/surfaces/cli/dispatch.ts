import { NacreError } from '../../errors.ts';
import { didYouMean } from '../config/did-you-mean.ts';
import type { Command } from './args/command.ts';
import { usageError } from './args/flag.ts';
import { parseArgs } from './args/parse-args.ts';
import { COMMANDS } from './commands.ts';
import { BROKEN_PIPE, OUR_FAILURE, statusOfError, USAGE } from './exit-status.ts';
import { complain, complainAsJson, print } from './print.ts';

/** Carries out a command line. Never rejects: whatever happens has an exit status. */
export async function dispatch(args: readonly string[]): Promise<number> {
  const [name = firstChoice(), ...rest] = args;
  try {
    if (isHelp(name)) return await showHelp(rest[0]);
    if (name === '--version') return await showVersion();
    return await carryOut(await loadCommand(name), rest);
  } catch (error) {
    return explain(toKnownError(error), name);
  }
}

/** A person at a terminal who names no command wants to work; everybody else wants to know what there is. */
const firstChoice = (): string => (process.stdin.isTTY && process.stdout.isTTY ? 'console' : '--help');

const isHelp = (word: string): boolean => word === '--help' || word === '-h' || word === 'help';

async function carryOut(command: Command, args: readonly string[]): Promise<number> {
  if (asksForHelp(command, args)) return await showCommandHelp(command);
  const parsed = command.parse?.(args) ?? parseArgs(args, command.flags);
  try {
    return await command.act(parsed, COMMANDS);
  } catch (error) {
    if (parsed.flags.json !== true || !(error instanceof NacreError)) throw error;
    complainAsJson(error);
    return statusOfError(error.code);
  }
}

/** Before the first word; after it `--help` may be meant for the command that is run. */
function asksForHelp(command: Command, args: readonly string[]): boolean {
  const end = args.findIndex(
    (word) => word === '--' || (command.parse !== undefined && !word.startsWith('-')),
  );
  return args.slice(0, end < 0 ? args.length : end).some((word) => word === '--help' || word === '-h');
}

async function loadCommand(name: string): Promise<Command> {
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry !== undefined) return (await entry.load()).command;
  const kind = name.startsWith('-') ? 'option' : 'command';
  const known = COMMANDS.map((command) => command.name);
  throw usageError(`There is no ${kind} ${name}.${didYouMean(name, [...known, '--help', '--version'])}`);
}

async function showHelp(name: string | undefined): Promise<number> {
  if (name !== undefined) return showCommandHelp(await loadCommand(name));
  const { renderMainHelp } = await import('./args/render-help.ts');
  print(renderMainHelp(COMMANDS.map((command) => [command.name, command.summary])));
  return 0;
}

async function showCommandHelp(command: Command): Promise<number> {
  const { renderCommandHelp } = await import('./args/render-help.ts');
  print(renderCommandHelp(command));
  return 0;
}

async function showVersion(): Promise<number> {
  const { readVersion } = await import('./version.ts');
  print(`${readVersion()}\n`);
  return 0;
}

/** Node's error for a deleted working directory names neither the directory nor the cause. */
function toKnownError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException)?.syscall !== 'uv_cwd') return error;
  return new NacreError('cwd_missing', { cwd: process.env.PWD ?? '.' }, { cause: error });
}

function explain(error: unknown, name: string): number {
  if ((error as NodeJS.ErrnoException)?.code === 'EPIPE') return BROKEN_PIPE;
  if (!(error instanceof NacreError)) {
    complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return OUR_FAILURE;
  }
  complain(error.message);
  const status = statusOfError(error.code);
  if (status === USAGE) {
    const known = COMMANDS.some((command) => command.name === name);
    complain(`nacre ${known ? `${name} ` : ''}--help says more`);
  }
  return status;
}
