import { appendFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../../engine/run/record/make-directory.ts';
import { NacreError } from '../../../errors.ts';
import type { Always } from '../judge/verdict.ts';
import type { OpenQuestion } from './question.ts';
import { parseJson, readText, writeWhole } from './small-files.ts';

/** What a person allowed for good. */
export interface LearnedRule extends Always {
  readonly id: string;
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
    const stamp = stampOf(this.#file);
    if (stamp !== this.#read.stamp) {
      const lines = readText(this.#file)?.split('\n') ?? [];
      this.#read = { stamp, rules: lines.flatMap((line) => toRule(parseJson(line))) };
    }
    return this.#read.rules;
  }

  add({ id, command, always }: Pick<OpenQuestion, 'id' | 'command' | 'always'>): void {
    if (always.length === 0) return;
    const learnedAt = Date.now();
    const rules = always.map((rule, index) => ({ id: `${id}${index || ''}`, learnedAt, command, ...rule }));
    makeDirectory(dirname(this.#file));
    // One write: two programs that learn at once do not mix.
    appendFileSync(this.#file, rules.map((rule) => `${JSON.stringify(rule)}\n`).join(''), { mode: 0o600 });
  }

  /** @throws {NacreError} `approval_not_found` */
  forget(id: string): LearnedRule {
    const rules = this.list();
    const found = rules.find((rule) => rule.id === id);
    if (found === undefined) throw new NacreError('approval_not_found', { id });
    const kept = rules.filter((rule) => rule !== found);
    writeWhole(this.#file, kept.map((rule) => `${JSON.stringify(rule)}\n`).join(''));
    return found;
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function toRule(value: unknown): readonly LearnedRule[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, prefix, learnedAt, command, exact } = value as Partial<LearnedRule>;
  if (typeof id !== 'string' || !Array.isArray(prefix) || prefix.length === 0) return [];
  if (!prefix.every((word) => typeof word === 'string')) return [];
  const about = { learnedAt: Number(learnedAt), command: String(command) };
  return [{ id, ...about, prefix, ...(exact === true ? { exact } : {}) }];
}
