import { shellQuote } from '../text/shell-quote.ts';
import { needsPreamble, startLevel } from './command-preamble.ts';
import { limitsPerStream, type RunRequest } from './run-request.ts';
import { renderEvalCommandFile, terminalArguments } from './run-terminal.ts';

/** Longest text that Linux takes as one argument, its closing NUL included. */
const MAX_ARGUMENT_BYTES = 128 * 1024;

/** Maximum size of a row in the run index. */
const MAX_INDEX_ROW_BYTES = 3_500;

/** How long after a limit the supervisor acts in place of a connected caller that does not. */
const HUNG_CALLER_SECONDS = 10;

/** Variables that change the behaviour of any bash. They bypass the supervisor and reach only the command. */
const SHELL_VARIABLES = new Set([
  'BASHOPTS',
  'BASH_COMPAT',
  'EXECIGNORE',
  'FUNCNEST',
  'GLOBIGNORE',
  'POSIXLY_CORRECT',
  'SHELLOPTS',
  'TMOUT',
]);

/** The supervisor's environment, and the variables that it sets only for the command. */
interface SplitEnvironment {
  readonly inherited: Record<string, string>;
  readonly assignments: readonly string[];
}

/** The text that the supervisor reads, and its environment. */
export interface SupervisorSpec {
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The part of a request that a warm shell needs before its command is known. */
export type WarmShellConfig = Pick<RunRequest, 'shell' | 'cwd' | 'env' | 'streams' | 'baseEnvironment'>;

/** The run directory's part of a supervisor spec. */
export interface SpecTarget {
  readonly id: string;
  readonly directory: string;
  readonly bootId: string;
  readonly now: number;
}

/** Renders a request as shell assignments for the supervisor; all values are quoted. */
export function renderSupervisorSpec(request: RunRequest, target: SpecTarget): SupervisorSpec {
  const { inherited, assignments } = splitEnvironment(request.env);
  const lines: SpecLines = [
    ['id', target.id],
    ['boot', target.bootId],
    ['listed', toIndexRowPrefix(request)],
    ['program', request.terminal?.program ?? request.shell],
    ['terminal', request.terminal === null ? undefined : 1],
    ['cwd', request.cwd],
    ['input', toInputSpec(request)],
    ['streams', request.streams],
    ['named', request.external?.pipes ?? undefined],
    ['stand_in', request.external?.proxyProcess],
    ['feeds', request.external?.forwardsInput ? 1 : undefined],
    ...callLines(request, target.now),
    ['shlvl', request.terminal === null ? levelOf(request) : startLevel(request.env.SHLVL)],
    ['oldpwd', request.env.OLDPWD],
    ['bash_env', request.terminal === null ? bashEnvPath(request, target) : undefined],
  ];
  const arrays = `nacre_env=${renderArray(assignments)}\nnacre_words=${renderArray(programArguments(request, target))}\n`;
  const env = request.terminal === null ? inherited : { ...inherited, SHELL: request.shell };
  return { text: `${renderLines(lines)}${arrays}${request.external?.settings ?? ''}`, env };
}

type SpecLines = readonly (readonly [string, string | number | undefined])[];

/** Renders the part of the spec that is the same for every command of a warm shell. */
export function renderWarmShellSpec(
  ground: WarmShellConfig,
  { id, bootId, setsid }: Pick<SpecTarget, 'id' | 'bootId'> & { readonly setsid: string },
): SupervisorSpec {
  const { shell, env, cwd, streams } = ground;
  const { inherited, assignments } = splitEnvironment(env);
  const lines: SpecLines = [
    ['id', id],
    ['boot', bootId],
    ['shell', shell],
    ['setsid', setsid],
    ['cwd', cwd],
    ['streams', streams],
    ['input', '/dev/null'],
    ['watch', 'reader'],
    ['deadline', ''],
    ['shlvl', startLevel(env.SHLVL)],
    ['oldpwd', env.OLDPWD],
  ];
  return { text: `${renderLines(lines)}nacre_env=${renderArray(assignments)}\n`, env: inherited };
}

/** Renders the rest of a warm shell's spec, once the command is known. */
export function renderCallSpec(request: RunRequest, now: number): string {
  return renderLines([['listed', toIndexRowPrefix(request)], ['began', now], ...callLines(request, now)]);
}

function callLines(request: RunRequest, now: number): SpecLines {
  const keep = limitsPerStream(request);
  return [
    ['watch', request.watcher],
    ['deadline', request.timeoutMs === null ? '' : Math.ceil((now + request.timeoutMs) / 1000)],
    ['job_deadline', Math.ceil((now + request.jobTimeoutMs) / 1000)],
    ['slack', HUNG_CALLER_SECONDS + Math.ceil(request.graceMs / 1000)],
    ['grace', Math.max(1, Math.ceil(request.graceMs / 1000))],
    ['head', keep.onFull === 'stop' ? keep.maxBytes : Math.floor(keep.maxBytes / 2)],
    ['piece', keep.onFull === 'stop' ? 0 : Math.floor(keep.maxBytes / 4)],
    ['full', keep.onFull],
    ['floor_kib', Math.floor(keep.minFreeBytes / 1024)],
  ];
}

function renderLines(lines: SpecLines): string {
  let text = '';
  for (const [name, value] of lines)
    if (value !== undefined)
      text += `nacre_${name}=${typeof value === 'number' ? value : shellQuote(value)}\n`;
  return text;
}

function renderArray(words: readonly string[]): string {
  return `(${words.map(shellQuote).join(' ')})`;
}

/** The index columns of a request; `undefined` when the row would be too long for one atomic append. */
export function toIndexRowPrefix({ listed = '' }: RunRequest): string | undefined {
  return listed === '' || Buffer.byteLength(listed) > MAX_INDEX_ROW_BYTES ? undefined : listed;
}

/** The file that bash reads first: our preamble, which sources the user's file, or the user's file alone. */
function bashEnvPath(request: RunRequest, { directory }: SpecTarget): string | undefined {
  return needsPreamble(request) ? `${directory}/preamble` : request.env.BASH_ENV;
}

/** The `SHLVL` that the command's bash is started with. */
function levelOf(request: RunRequest): string | undefined {
  return needsPreamble(request) ? startLevel(request.env.SHLVL) : request.env.SHLVL;
}

/** The arguments after the program. */
function programArguments(request: RunRequest, target: SpecTarget): readonly string[] {
  const { shell, terminal, env, command } = request;
  const { directory } = target;
  if (terminal !== null) {
    const own = { SHELL: env.SHELL, BASH_ENV: bashEnvPath(request, target), SHLVL: levelOf(request) };
    return terminalArguments({
      directory,
      shell,
      size: terminal,
      env: own,
      isLong: exceedsArgumentLimit(command),
    });
  }
  const words = ['-c', commandText(command, directory)];
  // When `env` starts the shell, the program name is an argument of its own.
  return Object.keys(env).some(bypassesSupervisor) ? [...words, 'bash'] : words;
}

/** A shell function, or an option list that a script cannot set. */
function bypassesSupervisor(name: string): boolean {
  return SHELL_VARIABLES.has(name) || name.startsWith('BASH_FUNC_');
}

function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const inherited: [string, string][] = [];
  const assignments: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('nacre_') || name === 'BASH_ENV') continue;
    if (bypassesSupervisor(name)) assignments.push(`${name}=${value}`);
    else inherited.push([name, value]);
  }
  return { inherited: Object.fromEntries(inherited), assignments };
}

/** The argument of `bash -c`: the command, or a command that evaluates the command file. */
function commandText(command: string, directory: string): string {
  return exceedsArgumentLimit(command) ? renderEvalCommandFile(directory) : command;
}

function exceedsArgumentLimit(command: string): boolean {
  return Buffer.byteLength(command) >= MAX_ARGUMENT_BYTES;
}

function toInputSpec({ input }: RunRequest): string {
  if (input.kind === 'descriptor') return '-';
  if (input.kind === 'open') return 'open';
  return input.kind === 'text' ? 'stdin' : '/dev/null';
}

/** Whether the command is too long for the spec and needs a file of its own. */
export function needsCommandFile({ command, terminal }: RunRequest): boolean {
  return terminal !== null || exceedsArgumentLimit(command);
}
