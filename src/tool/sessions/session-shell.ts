import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../engine/run/record/make-directory.ts';
import { renderLastDump, renderWantedDump } from '../../engine/shell/state/dump.ts';
import { renderExports } from '../../engine/shell/state/render-state.ts';
import { namesOf, type ShellState } from '../../engine/shell/state/shell-state.ts';
import { StateLock } from '../../engine/shell/state/state-lock.ts';
import type { StateStore } from '../../engine/shell/state/state-store.ts';
import { ownValue } from '../../engine/text/own-value.ts';
import type { CommandEffect } from '../policy/parse.ts';
import { hasNames, KnownTexts } from './known-texts.ts';
import type { Session } from './session.ts';
import { ShellCall } from './shell-call.ts';
import { NEW_SHELL, type ShellPlan } from './shell-plan.ts';
import type { Snapshots } from './snapshots.ts';

/** What is asked of the shell for one call. */
export interface ShellRequest {
  readonly command: string;
  /** The call's own variables. */
  readonly callEnv: Readonly<Record<string, string>>;
  /** All of the command's variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly movedFrom: string | null;
  /** A job is like a command with `&`: what it does to its shell is its own. */
  readonly background: boolean;
  /** Whether it was given more than the session's sandbox. */
  readonly isWider: boolean;
}

/** What the shell of a session is made of. */
export interface ShellParts {
  readonly store: StateStore;
  readonly snapshots: Snapshots;
  readonly session: Session;
  /** Whether commands see our files. */
  readonly isShared: boolean;
}

/** The shell of a session: every call gets a new one that is what the last one was. */
export class SessionShell {
  readonly #store: StateStore;
  readonly #snapshots: Snapshots;
  readonly #session: Session;
  readonly #isShared: boolean;
  readonly #texts = new KnownTexts();
  #snapshot: Awaited<ReturnType<Snapshots['find']>>['snapshot'] = null;
  #count = 0;

  constructor({ store, snapshots, session, isShared }: ShellParts) {
    this.#store = store;
    this.#snapshots = snapshots;
    this.#session = session;
    this.#isShared = isShared;
  }

  get state(): ShellState {
    return this.#store.load().state;
  }

  /** What the next command's shell reads first; `null` when there is nothing to read. */
  get ground(): string | null {
    return this.#store.ground(this.#snapshot);
  }

  /** Whether `cd` means something else here, or looks elsewhere. */
  get hasOwnCd(): boolean {
    const { functions, aliases, variables } = this.state;
    return Boolean(functions.cd ?? aliases.cd ?? variables.CDPATH);
  }

  /** What the names in a command mean here; empty when none of them means anything. */
  meaning(command: string): string {
    const known = { state: this.state, snapshot: this.#snapshot };
    return hasNames(known) ? this.#texts.of(command, known) : '';
  }

  /** A new one, where the session began. */
  reset(): void {
    this.#store.reset();
  }

  /** To where the session began. */
  goBack(): void {
    this.#store.save({ ...this.state, cwd: null, oldCwd: null });
  }

  /** Makes nothing yet. */
  async plan(request: ShellRequest): Promise<ShellPlan> {
    const { callEnv, movedFrom, background, isWider } = request;
    const { snapshot, notes } = await this.#snapshots.find(request);
    const { effect, trapsEnd } = await this.#effect(request, snapshot?.names ?? []);
    // What commands of a narrow one have made of their shell must not run in a wide one.
    if (isWider) return { ...NEW_SHELL, keeping: effect === 'none' ? 'none' : 'wider' };
    this.#snapshot = snapshot;
    const ground = this.#isShared ? this.ground : null;
    const told = this.#isShared ? '' : this.#store.text();
    // What a call says of its own variables is stronger than what the ground says.
    const own = ground === null && told === '' ? [] : renderExports(callEnv);
    const preamble = lines([told, ...own]);
    const callNames = Object.keys(callEnv);
    const base = {
      ...NEW_SHELL,
      ground,
      notes: [...notes, ...this.#notUsed(callNames)],
      preamble,
      callNames: new Set(callNames),
    };
    if (background) return base;
    if (effect === 'none') return { ...base, movedFrom };
    if (trapsEnd) return { ...base, movedFrom, keeping: 'own_trap' };
    return { ...base, movedFrom, keeping: 'written_down', ...this.#writing(preamble, effect === 'all') };
  }

  /** A call cannot give another value to what an earlier one made read-only. */
  #notUsed(names: readonly string[]): string[] {
    const { variables } = this.state;
    const fixed = names.filter((name) => /^declare -\w*r/.test(ownValue(variables, name) ?? ''));
    return fixed.length === 0 ? [] : [`Read-only in this session, and left as it is: ${fixed.join(', ')}.`];
  }

  /** What the shell does around the command: it writes itself down, into files that are made for it, or where its host puts them. */
  #writing(preamble: string, functions: boolean): Partial<ShellPlan> {
    this.#count += 1;
    const name = `call-${process.pid}-${Date.now().toString(36)}-${this.#count}`;
    const mark = this.#isShared ? join(this.#store.directory, name) : `@nacre-${name}@`;
    const [before, after] = [`${mark}.before`, `${mark}.after`];
    const first = renderWantedDump({ file: before, functions });
    const atExit = renderLastDump({ file: after, functions });
    if (this.#isShared) return { before, after, preamble: lines([preamble, first]), atExit };
    // Made before anything has been said of who may read this shell's files.
    const made = `{ builtin : >|${before}; builtin : >|${after}; } 2>/dev/null`;
    return { shellMark: mark, preamble: lines([made, preamble, first]), atExit };
  }

  /** Right before the command starts. What it gives back ends the call's part in the session. */
  enter(plan: ShellPlan): ShellCall {
    if (plan.keeping === 'none' && plan.movedFrom === null) return new ShellCall(this.#store, plan);
    makeDirectory(this.#store.directory);
    this.#session.sign();
    // Made here, for us alone: the command may have another idea of who may read its files.
    if (plan.before !== '')
      for (const file of [plan.before, plan.after]) writeFileSync(file, '', { mode: 0o600 });
    this.#count += 1;
    const lock = new StateLock(this.#store.directory, `${process.pid}-${this.#count}`);
    lock.take();
    return new ShellCall(this.#store, plan, lock);
  }

  /** Asked of the parser, which is loaded for what is not plain to see. */
  async #effect(
    { command, env, background }: ShellRequest,
    snapshotNames: readonly string[],
  ): Promise<CommandEffect> {
    if (background) return { effect: 'none', trapsEnd: false };
    const { functions, aliases, shopt } = this.state;
    const exported = Object.keys(env).flatMap((name) => /^BASH_FUNC_(.*)%%$/.exec(name)?.[1] ?? []);
    const names = new Set([...namesOf(functions), ...namesOf(aliases), ...exported, ...snapshotNames]);
    const { stateEffect } = await import('../policy/parse.ts');
    const found = stateEffect(command, { names, lastPipe: shopt.lastpipe === true });
    // A file that we do not know is read first: what a name means then cannot be told.
    return env.BASH_ENV === undefined ? found : { ...found, effect: 'all' };
  }
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
