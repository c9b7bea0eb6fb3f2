import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, resolve } from 'node:path';
import { createSecretMask, type SecretMask } from '../../engine/output/secret-mask.ts';
import { DEFAULT_TERMINAL_SIZE, type TerminalPlan } from '../../engine/run/run-terminal.ts';
import { buildEnvironment, type ChildEnvironment } from '../../engine/shell/child-environment.ts';
import { findTerminalProgram } from '../../engine/shell/find-program.ts';
import type { NonInteractiveOutput } from '../../engine/shell/non-interactive-variables.ts';
import type { ShellState } from '../../engine/shell/shell-state.ts';
import type { SecretRules } from '../../engine/shell/withhold-secrets.ts';
import { NacreError } from '../../errors.ts';
import type { CallOptions } from '../contract/call-options.ts';
import { badInputError } from '../contract/input-schema.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { CallRequest, Profile } from '../profiles/profile.ts';
import type { SessionShell } from '../sessions/session-shell.ts';

/** Sources of a command's environment. */
export interface EnvironmentSources {
  readonly options: ResolvedOptions;
  readonly profile: Profile;
  /** Variables of this call only. */
  readonly call: Readonly<Record<string, string>>;
  /** Kind of the command's output. @default 'pipe' */
  readonly output?: NonInteractiveOutput;
}

/** Builds the environment of a command and the list of values to mask. */
export function buildCallEnvironment({
  options,
  profile,
  call,
  output = 'pipe',
}: EnvironmentSources): ChildEnvironment {
  const built = buildEnvironment({
    inherited: options.inheritedEnv,
    session: options.env,
    call,
    disarm: profile.disablesPrompts ? output : 'off',
    ci: options.ci,
    secrets: toSecretRules(options),
  });
  const named = options.secrets.mask.filter((value) => value !== '');
  const maskValues = [...new Set([...built.maskValues, ...named])].sort((a, b) => b.length - a.length);
  return { ...built, maskValues };
}

/** Builds the environments of one instance and caches those without variables of a call. */
export class EnvironmentCache {
  readonly #sources: Omit<EnvironmentSources, 'call' | 'output'>;
  readonly #built = new Map<NonInteractiveOutput, MaskedEnvironment>();

  constructor(sources: Omit<EnvironmentSources, 'call' | 'output'>) {
    this.#sources = sources;
  }

  get(call: Readonly<Record<string, string>>, output: NonInteractiveOutput = 'pipe'): MaskedEnvironment {
    if (Object.keys(call).length > 0) return this.#build(call, output);
    const made = this.#built.get(output) ?? this.#build({}, output);
    this.#built.set(output, made);
    return made;
  }

  #build(call: Readonly<Record<string, string>>, output: NonInteractiveOutput): MaskedEnvironment {
    const environment = buildCallEnvironment({ ...this.#sources, call, output });
    return { ...environment, mask: createSecretMask(environment.maskValues) };
  }
}

/** An environment with the mask for its secret values. */
export interface MaskedEnvironment extends ChildEnvironment {
  readonly mask: SecretMask;
}

/** Requires valid variable names. Values need no check because they are never shell text. */
export function checkVariableNames(env: Readonly<Record<string, string>>): void {
  const wrong = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong !== undefined) throw new NacreError('env_name_invalid', { name: wrong });
}

/** With `withhold` off, only names on the deny list are withheld. */
function toSecretRules({ secrets }: ResolvedOptions): SecretRules | null {
  const { withhold, allow, deny, grants } = secrets;
  if (withhold) return { allow, deny, grants };
  return deny.length === 0 ? null : { allow: ['*'], deny, grants };
}

/** Working directory of a command and the previous directory of its session. */
export interface WorkingDirectory {
  readonly cwd: string;
  /** Value of `OLDPWD` for the command. */
  readonly oldCwd: string | null;
  /** Directory of the session before a lifted leading `cd`; `null` when none was lifted. */
  readonly movedFrom: string | null;
}

/** A request whose command text is final. */
export interface PreparedRequest {
  readonly request: CallRequest;
  readonly directoriesToCreate: readonly string[];
  /** Whether `cwd` comes from a leading `cd` of the command. */
  readonly moved: boolean;
  /** State of the session's shell before the call; `null` without one. */
  readonly state: ShellState | null;
}

interface WorkingDirectoryContext {
  readonly options: ResolvedOptions;
  readonly sessionShell: SessionShell | null;
  readonly isSandboxedOrRemote: boolean;
}

/** Resolves the working directory of a call against the current directory of its session. */
export async function resolveWorkingDirectory(
  ready: PreparedRequest,
  home: string | undefined,
  context: WorkingDirectoryContext,
): Promise<WorkingDirectory> {
  const { state } = ready;
  const from = state?.cwd ?? context.options.cwd;
  const cwd = resolveDirectory(ready.request.cwd, { cwd: from, home });
  if (!ready.directoriesToCreate.includes(cwd) && !context.isSandboxedOrRemote)
    await checkWorkingDirectory({ cwd, from }, context);
  const movedFrom = ready.moved ? from : null;
  return { cwd, movedFrom, oldCwd: movedFrom ?? state?.oldCwd ?? null };
}

/** When the current directory of the session is missing, the session returns to its start directory. */
async function checkWorkingDirectory(
  { cwd, from }: { readonly cwd: string; readonly from: string },
  { sessionShell, options }: WorkingDirectoryContext,
): Promise<void> {
  try {
    await checkDirectory(cwd);
  } catch (error) {
    if (sessionShell === null || from === options.cwd || cwd !== from) throw error;
    sessionShell.returnToStartDirectory();
    throw new NacreError('session_cwd_missing', { cwd, home: options.cwd });
  }
}

/** Search permission for owner, group and others. */
const ALL_SEARCH_BITS = 0o111;

/** Directories that a written path is resolved against. */
export interface DirectoryBase {
  /** Current directory of the session. */
  readonly cwd: string;
  readonly home: string | undefined;
}

/** Resolves a directory to an absolute path without following symbolic links. */
export function resolveDirectory(written: string | null, { cwd, home }: DirectoryBase): string {
  if (written === null) return cwd;
  if (cwd.startsWith('~')) return resolveRemoteDirectory(written, cwd);
  const [, below] = /^~(?:$|\/(.*)$)/s.exec(written) ?? [];
  if (written.startsWith('~') && (written === '~' || below !== undefined)) {
    return resolve(home || homedir(), below ?? '');
  }
  return resolve(cwd, written);
}

/** A path below the home directory of a remote host keeps its `~`. */
function resolveRemoteDirectory(written: string, cwd: string): string {
  return /^[~/]/.test(written) ? written : posix.join(cwd, written);
}

/**
 * Requires an existing directory that can be entered. The synchronous call is ten times faster than the thread
 * pool.
 */
export async function checkDirectory(cwd: string): Promise<void> {
  const stats = statOrError(cwd);
  if (!(stats instanceof Error)) {
    if (!stats.isDirectory()) throw new NacreError('cwd_not_directory', { cwd });
    if ((stats.mode & ALL_SEARCH_BITS) !== ALL_SEARCH_BITS) requireSearchPermission(cwd);
    return;
  }
  if (stats.code === 'ENOENT') throw new NacreError('cwd_missing', { cwd });
  if (stats.code === 'ENOTDIR') throw new NacreError('cwd_not_directory', { cwd });
  throw badInputError('cwd', `cannot be used: ${stats.message}`);
}

function statOrError(path: string): Stats | NodeJS.ErrnoException {
  try {
    return statSync(path);
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** Synchronous, so that overlapping calls start in their order. */
function requireSearchPermission(cwd: string): void {
  try {
    accessSync(cwd, constants.X_OK);
  } catch (error) {
    throw badInputError('cwd', `cannot be entered: ${error instanceof Error ? error.message : error}`);
  }
}

/** Either variable with the value 1 disables terminals. */
const NO_TERMINAL_VARIABLES = ['NACRE_NO_PTY', 'PI_NO_PTY'] as const;

export interface PlannedTerminal {
  /** `null` when the command runs without a terminal. */
  readonly terminal: TerminalPlan | null;
  /** Reason why a requested terminal is missing. */
  readonly notes: readonly string[];
}

const NO_TERMINAL: PlannedTerminal = { terminal: null, notes: [] };

export interface TerminalContext {
  readonly options: ResolvedOptions;
  readonly call: CallOptions;
  readonly isSandboxedOrRemote: boolean;
}

/**
 * Decides whether a call gets a terminal: the call requests one, it can be shown or driven, and the machine
 * supports it.
 */
export function planTerminal(
  { pty, background }: CallRequest,
  { options, call, isSandboxedOrRemote }: TerminalContext,
): PlannedTerminal {
  const isWanted = pty || (options.virtualTerminal === 'on' && call.terminal !== undefined);
  if (!isWanted) return NO_TERMINAL;
  const program = findTerminalProgram();
  const obstacle = isSandboxedOrRemote
    ? 'this host has none.'
    : findTerminalObstacle({ background, options, call, program });
  if (obstacle !== null || program === null)
    return { terminal: null, notes: pty ? [`Ran without a terminal: ${obstacle}`] : [] };
  const { columns, rows } = call.terminal ?? DEFAULT_TERMINAL_SIZE;
  return { terminal: { columns, rows, program }, notes: [] };
}

interface TerminalConditions {
  readonly background: boolean;
  readonly options: ResolvedOptions;
  readonly call: CallOptions;
  readonly program: string | null;
}

function findTerminalObstacle({ background, options, call, program }: TerminalConditions): string | null {
  const off = NO_TERMINAL_VARIABLES.find((name) => options.inheritedEnv[name] === '1');
  if (off !== undefined) return `${off} is 1.`;
  if (program === null) return 'script(1) of util-linux is not installed.';
  if (background || call.terminal !== undefined) return null;
  return 'the caller cannot show one. With async: true, use the job tool to drive it (send, peek).';
}
