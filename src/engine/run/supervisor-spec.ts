import { shellQuote } from '../text/shell-quote.ts';
import { needsPreamble, startLevel } from './command-preamble.ts';
import { limitsPerStream, type RunRequest } from './run-request.ts';
import { renderEvalCommandFile, terminalArguments } from './run-terminal.ts';

/** Longest text that Linux takes as one argument, its closing NUL included. */
const MAX_ARGUMENT_BYTES = 128 * 1024;

/** Of a row in the file from which runs are listed. */
const MAX_INDEX_ROW_BYTES = 3_500;

/** How long after a limit the supervisor steps in for a caller that is there but does not act. */
const HUNG_CALLER_SECONDS = 10;

/** Variables that change how any bash behaves, the supervisor's too: they go around it, to the command alone. */
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

/** The supervisor's environment, and what it must set by itself for the command. */
interface SplitEnvironment {
  readonly inherited: Record<string, string>;
  readonly assignments: readonly string[];
}

/** What a run is started with: the text the supervisor reads, and the environment it is given. */
export interface SupervisorSpec {
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a shell is started with before its command is known. */
export type WarmShellConfig = Pick<RunRequest, 'shell' | 'cwd' | 'env' | 'streams' | 'baseEnvironment'>;

/** What the run's directory adds to a request. */
export interface SpecTarget {
  readonly id: string;
  readonly directory: string;
  readonly bootId: string;
  readonly now: number;
}

/** Everything the supervisor must know, as shell assignments: values are quoted, nothing in them is ever run. */
export function renderSupervisorSpec(request: RunRequest, place: SpecTarget): SupervisorSpec {
  const { inherited, assignments } = splitEnvironment(request.env);
  const lines: SpecLines = [
    ['id', place.id],
    ['boot', place.bootId],
    ['listed', toIndexRowPrefix(request)],
    ['program', request.terminal?.program ?? request.shell],
    ['terminal', request.terminal === null ? undefined : 1],
    ['cwd', request.cwd],
    ['input', toInputSpec(request)],
    ['streams', request.streams],
    ['named', request.external?.pipes ?? undefined],
    ['stand_in', request.external?.proxyProcess],
    ['feeds', request.external?.forwardsInput ? 1 : undefined],
    ...callLines(request, place.now),
    ['shlvl', request.terminal === null ? levelOf(request) : startLevel(request.env.SHLVL)],
    ['oldpwd', request.env.OLDPWD],
    ['bash_env', request.terminal === null ? bashEnvPath(request, place) : undefined],
  ];
  const arrays = `nacre_env=${renderArray(assignments)}\nnacre_words=${renderArray(programArguments(request, place))}\n`;
  const env = request.terminal === null ? inherited : { ...inherited, SHELL: request.shell };
  return { text: `${renderLines(lines)}${arrays}${request.external?.settings ?? ''}`, env };
}

type SpecLines = readonly (readonly [string, string | number | undefined])[];

/** A run whose command is not known yet: what is the same for every command it may get. */
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

/** The rest of it, once the command is known. */
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

/** Rows are added in one write, which is one step only up to a size; a longer one is looked up where it is. */
export function toIndexRowPrefix({ listed = '' }: RunRequest): string | undefined {
  return listed === '' || Buffer.byteLength(listed) > MAX_INDEX_ROW_BYTES ? undefined : listed;
}

/** What bash reads first: ours, which goes on to the user's own, or that alone. */
function bashEnvPath(request: RunRequest, { directory }: SpecTarget): string | undefined {
  return needsPreamble(request) ? `${directory}/preamble` : request.env.BASH_ENV;
}

/** The level that the command's bash is started with. */
function levelOf(request: RunRequest): string | undefined {
  return needsPreamble(request) ? startLevel(request.env.SHLVL) : request.env.SHLVL;
}

/** The words after the program. */
function programArguments(request: RunRequest, place: SpecTarget): readonly string[] {
  const { shell, terminal, env, command } = request;
  const { directory } = place;
  if (terminal !== null) {
    const own = { SHELL: env.SHELL, BASH_ENV: bashEnvPath(request, place), SHLVL: levelOf(request) };
    return terminalArguments({
      directory,
      shell,
      size: terminal,
      env: own,
      isLong: exceedsArgumentLimit(command),
    });
  }
  const words = ['-c', commandText(command, directory)];
  // Where `env` starts the shell, the name of the program is a word of its own.
  return Object.keys(env).some(bypassesSupervisor) ? [...words, 'bash'] : words;
}

/** A shell function, or an option list that bash will not let a script set. */
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

/** What `bash -c` is given: the command itself, or, where that is too long for an argument, the way to it. */
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

/** Whether the command needs a file of its own beside the spec. */
export function needsCommandFile({ command, terminal }: RunRequest): boolean {
  return terminal !== null || exceedsArgumentLimit(command);
}
