import { NacreError } from '../../errors.ts';
import { didYouMean } from '../../validator.ts';
import { type CliCommand, type CliCommandEntry, parseArgs } from './command.ts';
import { EXIT_BROKEN_PIPE, EXIT_INTERNAL_FAILURE, EXIT_USAGE, toErrorExitStatus } from './exit-status.ts';
import { usageError } from './flags.ts';
import { print, printError, printErrorAsJson } from './print.ts';
import { readVersion } from './version.ts';

/** The commands in help order; each is loaded on demand. */
export const COMMANDS: readonly CliCommandEntry[] = [
  { name: 'run', summary: 'Run a command and exit with its status', load: () => import('./run/run.ts') },
  {
    name: 'jobs',
    summary: 'List, read, wait for, answer and stop background jobs',
    load: () => import('./commands/jobs.ts'),
  },
  {
    name: 'artifacts',
    summary: 'List, show, search and remove the full output of runs',
    load: () => import('./commands/artifacts.ts'),
  },
  {
    name: 'explain',
    summary: 'Explain how a command is parsed and whether it may run',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'approvals',
    summary: 'List and answer pending approvals',
    load: () => import('./commands/approvals.ts'),
  },
  {
    name: 'sessions',
    summary: 'List, show and reset sessions',
    load: () => import('./commands/sessions.ts'),
  },
  { name: 'log', summary: 'Show the log of commands', load: () => import('./commands/log.ts') },
  {
    name: 'mcp',
    summary: 'Serve the tool to agents over MCP',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'rpc',
    summary: 'Serve the tool to programs as JSON lines',
    load: () => import('./commands/rpc.ts'),
  },
  {
    name: 'acp',
    summary: 'Run commands from an editor over ACP',
    load: () => import('./commands/acp.ts'),
  },
  {
    name: 'console',
    summary: 'Open an interactive console',
    load: () => import('./commands/console.ts'),
  },
  {
    name: 'watch',
    summary: 'Watch the commands of all agents and answer their approvals',
    load: () => import('./commands/watch.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check this machine and show the settings',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for your shell',
    load: () => import('./commands/completion.ts'),
  },
];

/** Runs a command line. Never rejects: every error becomes an exit status. */
export async function dispatch(args: readonly string[]): Promise<number> {
  const [name = defaultCommand(), ...rest] = args;
  try {
    if (isHelp(name)) return await showHelp(rest[0]);
    if (name === '--version' || name === '-V') return showVersion();
    return await runCommand(await loadCommand(name), rest);
  } catch (error) {
    return reportError(toKnownError(error), name);
  }
}

/** Without a command a terminal opens the console; otherwise the help is printed. */
const defaultCommand = (): string => (process.stdin.isTTY && process.stdout.isTTY ? 'console' : '--help');

const isHelp = (word: string): boolean => word === '--help' || word === '-h' || word === 'help';

async function runCommand(command: CliCommand, args: readonly string[]): Promise<number> {
  if (asksForHelp(command, args)) return await showCommandHelp(command);
  const parsed = command.parse?.(args) ?? parseArgs(args, command.flags);
  try {
    return await command.act(parsed, COMMANDS);
  } catch (error) {
    if (parsed.flags.json !== true || !(error instanceof NacreError)) throw error;
    printErrorAsJson(error);
    return toErrorExitStatus(error.code);
  }
}

/** `--help` after the first argument may belong to the command that is run. */
function asksForHelp(command: CliCommand, args: readonly string[]): boolean {
  const end = args.findIndex(
    (word) => word === '--' || (command.parse !== undefined && !word.startsWith('-')),
  );
  return args.slice(0, end < 0 ? args.length : end).some((word) => word === '--help' || word === '-h');
}

async function loadCommand(name: string): Promise<CliCommand> {
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry !== undefined) return (await entry.load()).command;
  const kind = name.startsWith('-') ? 'option' : 'command';
  const known = COMMANDS.map((command) => command.name);
  throw usageError(`Unknown ${kind} '${name}'.${didYouMean(name, [...known, '--help', '--version'])}`);
}

async function showHelp(name: string | undefined): Promise<number> {
  if (name !== undefined) return showCommandHelp(await loadCommand(name));
  const { renderMainHelp } = await import('./render-help.ts');
  print(renderMainHelp(COMMANDS.map((command) => [command.name, command.summary])));
  return 0;
}

async function showCommandHelp(command: CliCommand): Promise<number> {
  const { renderCommandHelp } = await import('./render-help.ts');
  print(renderCommandHelp(command));
  return 0;
}

function showVersion(): number {
  print(`${readVersion()}\n`);
  return 0;
}

/** Node's error for a deleted working directory names neither the directory nor the cause. */
function toKnownError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException)?.syscall !== 'uv_cwd') return error;
  return new NacreError('cwd_missing', { cwd: process.env.PWD ?? '.' }, { cause: error });
}

function reportError(error: unknown, name: string): number {
  if ((error as NodeJS.ErrnoException)?.code === 'EPIPE') return EXIT_BROKEN_PIPE;
  if (!(error instanceof NacreError)) {
    printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT_INTERNAL_FAILURE;
  }
  printError(error.message);
  const status = toErrorExitStatus(error.code);
  if (status === EXIT_USAGE) {
    const known = COMMANDS.some((command) => command.name === name);
    printError(`See nacre ${known ? `${name} ` : ''}--help.`);
  }
  return status;
}
