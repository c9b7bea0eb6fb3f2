import { appendFileSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  makePrivateDirectory,
  parseJsonOrNull,
  readTextFile,
  writeFileAtomically,
} from '../../engine/process/state-files.ts';
import { NacreError } from '../../errors.ts';
import type { Always } from '../contract/policy-verdict.ts';
import { type Answer, type OpenQuestion, type Scope, scopeOf } from '../contract/policy-verdict.ts';
import { toAlways } from './approval-decision.ts';

/** A rule that a lasting answer stored. */
export interface LearnedRule extends Always {
  readonly id: string;
  readonly scope: Scope;
  /** The session that asked. */
  readonly session: string;
  /** The project that asked. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly learnedAt: number;
  /** The command that was asked about. */
  readonly command: string;
}

/** A line for each rule; read again only when the file has changed. */
export class LearnedRules {
  readonly #file: string;
  #read: { readonly stamp: string; readonly rules: readonly LearnedRule[] } = { stamp: '', rules: [] };

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, 'approvals', 'always.jsonl');
  }

  /** The same array as long as nothing has changed. */
  list(): readonly LearnedRule[] {
    const stamp = readFileStamp(this.#file);
    if (stamp !== this.#read.stamp) {
      const lines = readTextFile(this.#file)?.split('\n') ?? [];
      this.#read = { stamp, rules: lines.flatMap((line) => parseLearnedRule(parseJsonOrNull(line))) };
    }
    return this.#read.rules;
  }

  /** Stores the rules of a question, if the answer is a lasting one. */
  add({ id, command, always, session, project }: OpenQuestion, answer: Answer): void {
    const scope = scopeOf(answer);
    if (always.length === 0 || scope === null) return;
    const about = { scope, session, project, learnedAt: Date.now(), command };
    const rules = always.map((rule, index) => ({ id: `${id}${index || ''}`, ...about, ...rule }));
    makePrivateDirectory(dirname(this.#file));
    // One write: two programs that learn at once do not mix.
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
  // A rule without a scope allowed more than the words that were asked about.
  if (exact !== true || scope === undefined || !prefix.every((word) => typeof word === 'string')) return [];
  const about = { scope, session, project, learnedAt: Number(learnedAt), command: String(command) };
  return [{ id, ...about, ...toAlways(prefix) }];
}

/** Whether a rule holds for a command of a session that starts in a directory. */
export function holdsFor(
  rule: LearnedRule,
  { session, cwd }: Pick<OpenQuestion, 'session' | 'cwd'>,
): boolean {
  if (rule.scope === 'everywhere') return true;
  return rule.scope === 'project' ? rule.project === projectOf(cwd) : rule.session === session;
}

/** The repository that a directory belongs to, or the directory itself. */
export function projectOf(cwd: string): string {
  for (let directory = cwd; dirname(directory) !== directory; directory = dirname(directory))
    if (existsSync(join(directory, '.git'))) return directory;
  return cwd;
}
