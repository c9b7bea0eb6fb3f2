import { appendFileSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  makePrivateDirectory,
  parseJsonOrNull,
  readTextFile,
  writeFileAtomically,
} from '../../engine/process/state-files.ts';
import { NacreError } from '../../errors.ts';
import {
  type Always,
  type Answer,
  type OpenQuestion,
  type Scope,
  scopeOf,
} from '../contract/policy-verdict.ts';
import { toAlways } from './approval-decision.ts';

/** A rule stored by a lasting answer. */
export interface LearnedRule extends Always {
  readonly id: string;
  readonly scope: Scope;
  /** The session that asked. */
  readonly session: string;
  /** The project that asked. */
  readonly project: string;
  /** Milliseconds since the Unix epoch. */
  readonly learnedAt: number;
  /** The command that the question was about. */
  readonly command: string;
}

/** The file of stored rules, one JSON object per line. It is read again only after a change. */
export class LearnedRules {
  readonly #file: string;
  #read: { readonly stamp: string; readonly rules: readonly LearnedRule[] } = { stamp: '', rules: [] };

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, 'approvals', 'always.jsonl');
  }

  /** Returns the same array until the file changes. */
  list(): readonly LearnedRule[] {
    const stamp = readFileStamp(this.#file);
    if (stamp !== this.#read.stamp) {
      const lines = readTextFile(this.#file)?.split('\n') ?? [];
      this.#read = { stamp, rules: lines.flatMap((line) => parseLearnedRule(parseJsonOrNull(line))) };
    }
    return this.#read.rules;
  }

  /** Stores the rules of a question when the answer is lasting. */
  add({ id, command, always, session, project }: OpenQuestion, answer: Answer): void {
    const scope = scopeOf(answer);
    if (always.length === 0 || scope === null) return;
    const about = { scope, session, project, learnedAt: Date.now(), command };
    const rules = always.map((rule, index) => ({ id: `${id}${index || ''}`, ...about, ...rule }));
    makePrivateDirectory(dirname(this.#file));
    // A single write, so that concurrent processes do not mix their lines.
    appendFileSync(this.#file, rules.map((rule) => `${JSON.stringify(rule)}\n`).join(''), { mode: 0o600 });
  }

  /** @throws {NacreError} `approval_not_found` */
  forget(id: string): LearnedRule {
    const rules = this.list();
    const found = rules.find((rule) => rule.id === id);
    if (found === undefined) throw new NacreError('approval_not_found', { id });
    const kept = rules.filter((rule) => rule !== found);
    writeFileAtomically(this.#file, kept.map((rule) => `${JSON.stringify(rule)}\n`).join(''));
    return found;
  }
}

function readFileStamp(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function parseLearnedRule(value: unknown): readonly LearnedRule[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, prefix, learnedAt, command, exact, ...where } = value as Partial<LearnedRule>;
  if (typeof id !== 'string' || !Array.isArray(prefix) || prefix.length === 0) return [];
  const { scope, session = '', project = '' } = where;
  // Rules without a scope came from a version that allowed more than the exact words.
  if (exact !== true || scope === undefined || !prefix.every((word) => typeof word === 'string')) return [];
  const about = { scope, session, project, learnedAt: Number(learnedAt), command: String(command) };
  return [{ id, ...about, ...toAlways(prefix) }];
}

/** Whether a rule applies to a command of a session that starts in a directory. */
export function holdsFor(
  rule: LearnedRule,
  { session, cwd }: Pick<OpenQuestion, 'session' | 'cwd'>,
): boolean {
  if (rule.scope === 'everywhere') return true;
  return rule.scope === 'project' ? rule.project === projectOf(cwd) : rule.session === session;
}

/** Returns the repository that contains a directory, or the directory itself. */
export function projectOf(cwd: string): string {
  for (let directory = cwd; dirname(directory) !== directory; directory = dirname(directory))
    if (existsSync(join(directory, '.git'))) return directory;
  return cwd;
}
