import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../engine/hosts/host.ts';
import { DirectoryLock } from '../../engine/process/file-lock.ts';
import { makePrivateDirectory } from '../../engine/process/state-files.ts';
import { type RcSnapshot, RcSnapshotStore } from '../../engine/shell/rc-snapshot-store.ts';
import { renderDumpIfWanted, renderExitDump } from '../../engine/shell/shell-dump.ts';
import { presentNames, renderExports, type ShellState } from '../../engine/shell/shell-state.ts';
import { ShellStateStore } from '../../engine/shell/shell-state-store.ts';
import { ownProperty } from '../../engine/text/own-property.ts';
import { canKeepShellState } from '../hosts/find-host.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { CommandEffect } from '../syntax/state-effect.ts';
import { DefinitionLookup, hasDefinitions } from './definition-lookup.ts';
import type { Session } from './session.ts';
import { FRESH_SHELL_PLAN, ShellCall, type ShellPlan } from './shell-call.ts';

/** What is asked of the shell for one call. */
export interface ShellPlanRequest {
  readonly command: string;
  /** The call's own variables. */
  readonly callEnv: Readonly<Record<string, string>>;
  /** All of the command's variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly movedFrom: string | null;
  /** A job is like a command with `&`: what it does to its shell is its own. */
  readonly background: boolean;
  /** Whether it was given more than the session's sandbox. */
  readonly isEscalated: boolean;
}

/** What the shell of a session is made of. */
export interface SessionShellOptions {
  readonly store: ShellStateStore;
  readonly snapshots: UserShellSnapshots;
  readonly session: Session;
  /** Whether commands see our files. */
  readonly sharesFiles: boolean;
}

/** The shell of a session: every call gets a new one that is what the last one was. */
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

  /** What the next command's shell reads first; `null` when there is nothing to read. */
  get baseEnvironment(): string | null {
    return this.#store.baseEnvironmentFile(this.#snapshot);
  }

  /** Whether `cd` means something else here, or looks elsewhere. */
  get redefinesCd(): boolean {
    const { functions, aliases, variables } = this.state;
    return Boolean(functions.cd ?? aliases.cd ?? variables.CDPATH);
  }

  /** What the names in a command mean here; empty when none of them means anything. */
  definitionsFor(command: string): string {
    const known = { state: this.state, snapshot: this.#snapshot };
    return hasDefinitions(known) ? this.#definitions.of(command, known) : '';
  }

  /** A new one, where the session began. */
  reset(): void {
    this.#store.reset();
  }

  /** To where the session began. */
  returnToStartDirectory(): void {
    this.#store.save({ ...this.state, cwd: null, oldCwd: null });
  }

  /** Makes nothing yet. */
  async plan(request: ShellPlanRequest): Promise<ShellPlan> {
    const { callEnv, movedFrom, background, isEscalated } = request;
    const { snapshot, notes } = await this.#snapshots.find(request);
    const { effect, trapsEnd } = await this.#findStateEffect(request, snapshot?.names ?? []);
    // What commands of a narrow one have made of their shell must not run in a wide one.
    if (isEscalated) return { ...FRESH_SHELL_PLAN, stateSaving: effect === 'none' ? 'none' : 'wider' };
    this.#snapshot = snapshot;
    const baseEnvironment = this.#sharesFiles ? this.baseEnvironment : null;
    const told = this.#sharesFiles ? '' : this.#store.inlineScript();
    // What a call says of its own variables is stronger than what the ground says.
    const own = baseEnvironment === null && told === '' ? [] : renderExports(callEnv);
    const preamble = joinNonEmptyLines([told, ...own]);
    const callNames = Object.keys(callEnv);
    const base = {
      ...FRESH_SHELL_PLAN,
      baseEnvironment,
      notes: [...notes, ...this.#renderReadOnlyNotes(callNames)],
      preamble,
      callNames: new Set(callNames),
    };
    if (background) return base;
    if (effect === 'none') return { ...base, movedFrom };
    if (trapsEnd) return { ...base, movedFrom, stateSaving: 'own_trap' };
    return {
      ...base,
      movedFrom,
      stateSaving: 'written_down',
      ...this.#planStateDump(preamble, effect === 'all'),
    };
  }

  /** A call cannot give another value to what an earlier one made read-only. */
  #renderReadOnlyNotes(names: readonly string[]): string[] {
    const { variables } = this.state;
    const fixed = names.filter((name) => /^declare -\w*r/.test(ownProperty(variables, name) ?? ''));
    return fixed.length === 0 ? [] : [`Read-only in this session, and left as it is: ${fixed.join(', ')}.`];
  }

  /** What the shell does around the command: it writes itself down, into files that are made for it, or where its host puts them. */
  #planStateDump(preamble: string, functions: boolean): Partial<ShellPlan> {
    this.#count += 1;
    const name = `call-${process.pid}-${Date.now().toString(36)}-${this.#count}`;
    const mark = this.#sharesFiles ? join(this.#store.directory, name) : `@nacre-${name}@`;
    const [before, after] = [`${mark}.before`, `${mark}.after`];
    const first = renderDumpIfWanted({ file: before, functions });
    const atExit = renderExitDump({ file: after, functions });
    if (this.#sharesFiles) return { before, after, preamble: joinNonEmptyLines([preamble, first]), atExit };
    // Made before anything has been said of who may read this shell's files.
    const made = `{ builtin : >|${before}; builtin : >|${after}; } 2>/dev/null`;
    return { shellMark: mark, preamble: joinNonEmptyLines([made, preamble, first]), atExit };
  }

  /** Right before the command starts. What it gives back ends the call's part in the session. */
  beginCall(plan: ShellPlan): ShellCall {
    if (plan.stateSaving === 'none' && plan.movedFrom === null) return new ShellCall(this.#store, plan);
    makePrivateDirectory(this.#store.directory);
    this.#session.writeKeyFile();
    // Made here, for us alone: the command may have another idea of who may read its files.
    if (plan.before !== '')
      for (const file of [plan.before, plan.after]) writeFileSync(file, '', { mode: 0o600 });
    this.#count += 1;
    const lock = new DirectoryLock(this.#store.directory, `${process.pid}-${this.#count}`);
    lock.tryAcquire();
    return new ShellCall(this.#store, plan, lock);
  }

  /** Asked of the parser, which is loaded for what is not plain to see. */
  async #findStateEffect(
    { command, env, background }: ShellPlanRequest,
    snapshotNames: readonly string[],
  ): Promise<CommandEffect> {
    if (background) return { effect: 'none', trapsEnd: false };
    const { functions, aliases, shopt } = this.state;
    const exported = Object.keys(env).flatMap((name) => /^BASH_FUNC_(.*)%%$/.exec(name)?.[1] ?? []);
    const names = new Set([
      ...presentNames(functions),
      ...presentNames(aliases),
      ...exported,
      ...snapshotNames,
    ]);
    const { analyzeStateEffect: stateEffect } = await import('../syntax/state-effect.ts');
    const found = stateEffect(command, { names, lastPipe: shopt.lastpipe === true });
    // A file that we do not know is read first: what a name means then cannot be told.
    return env.BASH_ENV === undefined ? found : { ...found, effect: 'all' };
  }
}

function joinNonEmptyLines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

interface SnapshotRequest {
  readonly env: Readonly<Record<string, string>>;
  readonly callEnv: Readonly<Record<string, string>>;
}

/** The user's shell for the commands of a session, and what to say when it cannot be had. */
export class UserShellSnapshots {
  readonly #store: RcSnapshotStore | null;
  readonly #shell: () => string;
  #reportedFailure: string | null = null;
  #last: RcSnapshot | null = null;

  /** Without a store there are none. */
  constructor(store: RcSnapshotStore | null, shell: () => string) {
    this.#store = store;
    this.#shell = shell;
  }

  async find({
    env,
    callEnv,
  }: SnapshotRequest): Promise<{ readonly snapshot: RcSnapshot | null; readonly notes: readonly string[] }> {
    // A call with a home or a path of its own gets what the session has; nothing is taken for it alone.
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

/** Where a session keeps its shells. */
export const SHELLS_DIRECTORY = 'shell';

/** The shell of a session, or `null` where none is kept. */
export function openSessionShell(
  session: Session,
  options: ResolvedOptions,
  { host, shell }: { readonly host: Host; readonly shell: () => string },
): SessionShell | null {
  if (!options.shellState || !canKeepShellState(host)) return null;
  const { stateDirectory, shellSnapshot } = options;
  const isShared = host.sharesFiles === true;
  // The user's shell is the one on this machine.
  const store = shellSnapshot && isShared ? new RcSnapshotStore(stateDirectory) : null;
  const directory = join(session.directory, SHELLS_DIRECTORY, toShellDirectoryName(options));
  return new SessionShell({
    store: new ShellStateStore(directory, options.env),
    snapshots: new UserShellSnapshots(store, shell),
    session,
    sharesFiles: isShared,
  });
}

/** What was kept on another host, or with another shell, prefix or environment is not for this one. */
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

/** `null` on this machine, without a sandbox. */
function toHostIdentity({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): unknown {
  if (host === null || host === 'local') return null;
  if (typeof host !== 'string') return host.name === 'local' ? null : host.name;
  return [host, Object.hasOwn(hosts, host) ? hosts[host] : null];
}
