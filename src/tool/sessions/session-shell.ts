import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../engine/hosts/host.ts';
import { LockOwner } from '../../engine/process/file-lock.ts';
import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import {
  type RcSnapshot,
  RcSnapshotStore,
  type RcSnapshotTexts,
} from '../../engine/shell/rc-snapshot-store.ts';
import { renderDumpIfWanted, renderExitDump } from '../../engine/shell/shell-dump.ts';
import { presentNames, renderExports, type ShellState } from '../../engine/shell/shell-state.ts';
import { ShellStateStore, STATE_FORMAT } from '../../engine/shell/shell-state-store.ts';
import { ownProperty } from '../../engine/text/own-property.ts';
import { canKeepShellState } from '../hosts/find-host.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { CommandEffect } from '../syntax/state-effect.ts';
import type { Session } from './session.ts';
import { FRESH_SHELL_PLAN, ShellCall, type ShellPlan } from './shell-call.ts';

/** One call, as far as the session's shell needs to know it. */
interface ShellPlanRequest {
  readonly command: string;
  /** Variables of this call only. */
  readonly callEnv: Readonly<Record<string, string>>;
  /** All variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly movedFrom: string | null;
  /** A job runs in a subshell like a command with `&`: its changes are not saved. */
  readonly background: boolean;
  /** Whether the call runs in a wider sandbox than the session's. */
  readonly isEscalated: boolean;
}

/** Options of `SessionShell`. */
interface SessionShellOptions {
  readonly store: ShellStateStore;
  readonly snapshots: UserShellSnapshots;
  readonly session: Session;
  /** Whether commands can read files of this machine at the same paths. */
  readonly sharesFiles: boolean;
}

/** The shell of a session: each call runs in a new bash that restores the state of the previous one. */
export class SessionShell {
  readonly #store: ShellStateStore;
  readonly #snapshots: UserShellSnapshots;
  readonly #session: Session;
  readonly #sharesFiles: boolean;
  readonly #definitions = new DefinitionLookup();
  #snapshot: Awaited<ReturnType<UserShellSnapshots['find']>>['snapshot'] = null;
  #count = 0;

  constructor({ store, snapshots, session, sharesFiles }: SessionShellOptions) {
    this.#store = store;
    this.#snapshots = snapshots;
    this.#session = session;
    this.#sharesFiles = sharesFiles;
  }

  get state(): ShellState {
    return this.#store.load().state;
  }

  /** File that the next command's shell sources first; `null` when there is no state to restore. */
  get baseEnvironment(): string | null {
    return this.#store.baseEnvironmentFile(this.#snapshot);
  }

  /** Returns the definitions that a command uses in a shell with this state; empty for none. */
  definitionsFor(command: string, state: ShellState = this.state): string {
    const known = { state, snapshot: this.#snapshot };
    return hasDefinitions(known) ? this.#definitions.of(command, known) : '';
  }

  /** Discards the state: the next command runs in a fresh shell in the start directory. */
  reset(): void {
    this.#store.reset();
  }

  returnToStartDirectory(): void {
    this.#store.save({ ...this.state, cwd: null, oldCwd: null });
  }

  /** Plans the shell of one call. Creates no files. */
  async plan(request: ShellPlanRequest): Promise<ShellPlan> {
    const { command, callEnv, movedFrom, background, isEscalated } = request;
    const { snapshot, notes } = await this.#snapshots.find(request);
    const unusable = this.#store.setUnusableAside();
    const { functions, aliases, shopt } = this.#store.load().state;
    const names = [...presentNames(functions), ...presentNames(aliases), ...(snapshot?.names ?? [])];
    const lastPipe = shopt.lastpipe === true;
    const resetNotes = unusable === null ? [] : [renderUnusableState(unusable)];
    const { effect, usesExitTrap } = await findCommandEffect(request, { names, lastPipe });
    // State that commands made inside the narrow sandbox must not run in a wider one.
    if (isEscalated)
      return { ...FRESH_SHELL_PLAN, notes: resetNotes, stateSaving: effect === 'none' ? 'none' : 'wider' };
    this.#snapshot = snapshot;
    const baseEnvironment = this.#sharesFiles ? this.baseEnvironment : null;
    const inlineState = this.#sharesFiles ? '' : this.#store.inlineScript();
    // Variables of the call override the restored ones.
    const own = baseEnvironment === null && inlineState === '' ? [] : renderExports(callEnv);
    const { state } = this.#store.load();
    const preamble = joinNonEmptyLines([inlineState, ...own]);
    const callNames = Object.keys(callEnv);
    const base = {
      ...FRESH_SHELL_PLAN,
      baseEnvironment,
      definitions: this.definitionsFor(command, state),
      notes: [...resetNotes, ...notes, ...renderReadOnlyNotes(callNames, state)],
      preamble,
      callNames: new Set(callNames),
    };
    if (background) return base;
    if (effect === 'none') return { ...base, movedFrom };
    if (usesExitTrap) return { ...base, movedFrom, stateSaving: 'own_trap' };
    return {
      ...base,
      movedFrom,
      stateSaving: 'dump',
      ...this.#planStateDump(preamble, effect === 'all'),
    };
  }

  /**
   * Adds shell code that dumps the state before and after the command, into files of this machine or of the
   * host.
   */
  #planStateDump(preamble: string, functions: boolean): Partial<ShellPlan> {
    this.#count += 1;
    const name = `call-${process.pid}-${Date.now().toString(36)}-${this.#count}`;
    const mark = this.#sharesFiles ? join(this.#store.directory, name) : `@nacre-${name}@`;
    const [before, after] = [`${mark}.before`, `${mark}.after`];
    const first = renderDumpIfWanted({ file: before, functions });
    const atExit = renderExitDump({ file: after, functions });
    if (this.#sharesFiles) return { before, after, preamble: joinNonEmptyLines([preamble, first]), atExit };
    // Created before the command can change the umask.
    const made = `{ builtin : >|${before}; builtin : >|${after}; } 2>/dev/null`;
    return { shellMark: mark, preamble: joinNonEmptyLines([made, preamble, first]), atExit };
  }

  /** Locks the session and creates the dump files. Called right before the command starts. */
  beginCall(plan: ShellPlan): ShellCall {
    if (plan.stateSaving === 'none' && plan.movedFrom === null) return new ShellCall(this.#store, plan);
    makePrivateDirectory(this.#store.directory);
    this.#session.writeKeyFile();
    // Created here with mode 0600, because the command may change its umask.
    if (plan.before !== '')
      for (const file of [plan.before, plan.after]) writeFileSync(file, '', { mode: 0o600 });
    const owner = new LockOwner(crypto.randomUUID());
    const lock = join(this.#store.directory, 'lock');
    const isHeld = owner.tryAcquire(lock) === 'acquired';
    return new ShellCall(this.#store, plan, isHeld ? () => owner.release(lock) : null);
  }
}

/** The session starts again with an empty state when its state file is damaged or was written by a newer nacre. */
function renderUnusableState({
  problem,
  path,
}: NonNullable<ReturnType<ShellStateStore['setUnusableAside']>>): string {
  const reason =
    problem.kind === 'damaged'
      ? 'its saved state is damaged'
      : `its saved state was written by a newer nacre (format ${problem.format}, this nacre reads ${STATE_FORMAT})`;
  return `The session starts fresh, without its earlier directory, variables and functions: ${reason}. The file is kept: ${path}`;
}

/** A call cannot override a variable that an earlier call made read-only. */
function renderReadOnlyNotes(names: readonly string[], { variables }: ShellState): string[] {
  const readOnly = names.filter((name) => /^declare -\w*r/.test(ownProperty(variables, name) ?? ''));
  return readOnly.length === 0 ? [] : [`Read-only in this session and not changed: ${readOnly.join(', ')}.`];
}

async function findCommandEffect(
  { command, env, background }: ShellPlanRequest,
  { names, lastPipe }: { readonly names: readonly string[]; readonly lastPipe: boolean },
): Promise<CommandEffect> {
  if (background) return { effect: 'none', usesExitTrap: false };
  const exported = Object.keys(env).flatMap((name) => /^BASH_FUNC_(.*)%%$/.exec(name)?.[1] ?? []);
  const { analyzeStateEffect } = await import('../syntax/state-effect.ts');
  const found = analyzeStateEffect(command, { names: new Set([...names, ...exported]), lastPipe });
  // BASH_ENV names an unknown file that may redefine any name.
  return env.BASH_ENV === undefined ? found : { ...found, effect: 'all' };
}

function joinNonEmptyLines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

interface SnapshotRequest {
  readonly env: Readonly<Record<string, string>>;
  readonly callEnv: Readonly<Record<string, string>>;
}

/** Finds the snapshot of the user's shell configuration for the commands of a session. */
class UserShellSnapshots {
  readonly #store: RcSnapshotStore | null;
  readonly #shell: () => string;
  #reportedFailure: string | null = null;
  #last: RcSnapshot | null = null;

  /** A `null` store means no snapshots. */
  constructor(store: RcSnapshotStore | null, shell: () => string) {
    this.#store = store;
    this.#shell = shell;
  }

  async find({
    env,
    callEnv,
  }: SnapshotRequest): Promise<{ readonly snapshot: RcSnapshot | null; readonly notes: readonly string[] }> {
    // A call with its own HOME or PATH uses the session's snapshot; none is created for it.
    if (this.#store === null || 'PATH' in callEnv || 'HOME' in callEnv)
      return { snapshot: this.#last, notes: [] };
    const { snapshot, failure } = await this.#store.find({ shell: this.#shell(), env });
    const isNews = failure !== null && failure !== this.#reportedFailure;
    this.#reportedFailure = failure;
    this.#last = snapshot;
    return { snapshot, notes: isNews ? [renderSnapshotFailure(failure)] : [] };
  }
}

function renderSnapshotFailure(reason: string): string {
  return `Commands run without your shell's configuration (aliases, functions, PATH): ${reason}.`;
}

/** Directory of the shell states, in the directory of a session. */
export const SHELLS_DIRECTORY = 'shell';

/** Opens the shell of a session; `null` when shell state is not kept. */
export function openSessionShell(
  session: Session,
  options: ResolvedOptions,
  { host, shell }: { readonly host: Host; readonly shell: () => string },
): SessionShell | null {
  if (!options.shellState || !canKeepShellState(host)) return null;
  const { stateDirectory, shellSnapshot } = options;
  const isShared = host.sharesFiles === true;
  // A snapshot contains paths of this machine.
  const store = shellSnapshot && isShared ? new RcSnapshotStore(stateDirectory) : null;
  const directory = join(session.directory, SHELLS_DIRECTORY, toShellDirectoryName(options));
  return new SessionShell({
    store: new ShellStateStore(directory, options.env),
    snapshots: new UserShellSnapshots(store, shell),
    session,
    sharesFiles: isShared,
  });
}

/**
 * State from another host, shell, prefix or environment must not be restored, so each combination has a
 * directory.
 */
function toShellDirectoryName({
  shellPath,
  shellPrefix,
  shellSnapshot,
  env,
  host,
  hosts,
}: ResolvedOptions): string {
  const variables = Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1));
  const place = toHostIdentity({ host, hosts });
  if (shellPath === null && shellPrefix === '' && shellSnapshot && variables.length === 0 && place === null)
    return 'default';
  const { createHash } = process.getBuiltinModule('node:crypto');
  const parts = [shellPath, shellPrefix, shellSnapshot, variables];
  const text = JSON.stringify(place === null ? parts : [...parts, place]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** `null` on this machine without a sandbox. */
function toHostIdentity({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): unknown {
  if (host === null || host === 'local') return null;
  if (typeof host !== 'string') return host.name === 'local' ? null : host.name;
  return [host, Object.hasOwn(hosts, host) ? hosts[host] : null];
}

/** Sources of definitions in the shell of a session. */
interface DefinedNames {
  readonly state: ShellState;
  readonly snapshot: { readonly textsPath: string; readonly names: readonly string[] } | null;
}

/**
 * Definitions beyond this size are not evaluated again: the policy saw each of them when a command defined it.
 */
const MAX_DEFINITIONS_LENGTH = 16 * 1024;

/** Finds the definitions in a session's shell that a command uses, so that the policy can evaluate them. */
class DefinitionLookup {
  #seen: { readonly path: string; readonly texts: RcSnapshotTexts } | undefined;
  #names: { readonly collect: readonly string[]; readonly set: ReadonlySet<string> } | undefined;

  /**
   * Returns the functions, aliases and variables that a command mentions, directly or through other
   * definitions.
   */
  of(command: string, { state, snapshot }: DefinedNames): string {
    const lookups = [this.#snapshotLookup(state, snapshot)];
    if (definesNames(state)) lookups.unshift((name) => definitionsInState(state, name));
    const parts: string[] = [];
    const seen = new Set<string>();
    const pending = [...namesMentionedIn(command)];
    let length = 0;
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const text of lookups.flatMap((lookup) => lookup(name as string))) {
        length += text.length;
        if (length > MAX_DEFINITIONS_LENGTH) return renderDefinitions(parts, state);
        parts.push(text);
        pending.push(...namesMentionedIn(text));
      }
    }
    return renderDefinitions(parts, state);
  }

  /**
   * The user's functions and aliases that the session has not replaced. The file is read when a name is
   * mentioned.
   */
  #snapshotLookup(state: ShellState, snapshot: DefinedNames['snapshot']): (name: string) => string[] {
    if (snapshot === null) return () => [];
    const { names, textsPath } = snapshot;
    if (this.#names?.collect !== names) this.#names = { collect: names, set: new Set(names) };
    const known = this.#names.set;
    return (name) => {
      if (!known.has(name)) return [];
      const { functions, aliases } = this.#read(textsPath);
      const found = [
        Object.hasOwn(state.functions, name) ? undefined : ownProperty(functions, name),
        Object.hasOwn(state.aliases, name) ? undefined : ownProperty(aliases, name),
      ];
      return found.flatMap((text) => text ?? []).map(decodeUtf8FromLatin1);
    };
  }

  #read(path: string): RcSnapshotTexts {
    if (this.#seen?.path !== path) this.#seen = { path, texts: readSnapshotTexts(path) };
    return this.#seen.texts;
  }
}

function readSnapshotTexts(path: string): RcSnapshotTexts {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RcSnapshotTexts;
  } catch {
    return { functions: {}, aliases: {} };
  }
}

function definitionsInState({ functions, aliases, variables }: ShellState, name: string): string[] {
  const found = [
    ownProperty(variables, name),
    ownProperty(functions, name)?.text,
    ownProperty(aliases, name),
  ];
  return found.flatMap((text) => text ?? []).map(decodeUtf8FromLatin1);
}

/** Candidate names: whole words with and without quotes, and everything that can be a variable name. */
function namesMentionedIn(text: string): ReadonlySet<string> {
  const plain = text.replace(/['"\\]/g, '');
  return new Set([
    ...(text.match(WORD_PATTERN) ?? []),
    ...(plain === text ? [] : (plain.match(WORD_PATTERN) ?? [])),
    ...(text.match(VARIABLE_PATTERN) ?? []),
  ]);
}

const WORD_PATTERN = /[^\s;&|<>()'"`$\\{}=]+/g;
const VARIABLE_PATTERN = /[A-Za-z_]\w*/g;

/** A session with aliases expands them unless `expand_aliases` is switched off. */
function renderDefinitions(parts: readonly string[], { shopt }: ShellState): string {
  if (parts.length === 0) return '';
  const expands = shopt.expand_aliases !== false && parts.some((part) => part.startsWith('alias '));
  return [...(expands ? ['shopt -s expand_aliases'] : []), ...parts, ''].join('\n');
}

/** Texts in a shell state have one byte per character. */
function decodeUtf8FromLatin1(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Whether a session's shell has any definitions. */
function hasDefinitions({ state, snapshot }: DefinedNames): boolean {
  return (snapshot !== null && snapshot.names.length > 0) || definesNames(state);
}

function definesNames({ functions, aliases, variables }: ShellState): boolean {
  return [functions, aliases, variables].some((table) => Object.keys(table).length > 0);
}
