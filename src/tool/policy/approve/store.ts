import type { FSWatcher } from 'node:fs';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../engine/run/record/make-directory.ts';
import { NacreError } from '../../../errors.ts';
import type { Answer, Asking, OpenQuestion } from './question.ts';
import type { ApprovalRule } from './rule.ts';

export interface ApprovalStoreOptions {
  /** Where questions and answers lie; made when the first question is asked. */
  readonly directory: string;
  /**
   * How long a question waits for its answer.
   *
   * @default 300000
   */
  readonly waitMs?: number;
}

export interface Answered {
  readonly answer: Answer;
  /** Nobody's answer is no. */
  readonly by: 'person' | 'nobody';
}

/** Questions on disk, which any program of the same person can answer. */
export interface ApprovalStore {
  ask(asking: Asking, signal?: AbortSignal): Promise<Answered>;
  /** The questions that still wait, oldest first. */
  list(): readonly OpenQuestion[];
  /** @throws {NacreError} `approval_not_found` */
  answer(id: string, answer: Answer): void;
  /** What was allowed for good. */
  rules(): readonly ApprovalRule[];
}

interface Waiting {
  readonly questions: string;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Files {
  readonly questions: string;
  readonly learned: string;
}

const WAIT_MS = 300_000;

// A watch can be missed on some file systems; looking now and then cannot.
const LOOK_MS = 500;

export function createApprovalStore({ directory, waitMs = WAIT_MS }: ApprovalStoreOptions): ApprovalStore {
  const questions = join(directory, 'questions');
  const learned = join(directory, 'learned.jsonl');
  return {
    ask: (asking, signal) => ask(asking, { questions, waitMs, signal }),
    list: () => listQuestions(questions),
    answer: (id, answer) => answerQuestion({ id, answer }, { questions, learned }),
    rules: () => readLines(learned).flatMap(toRule),
  };
}

async function ask(asking: Asking, { questions, waitMs, signal }: Waiting): Promise<Answered> {
  const id = crypto.randomUUID();
  const askedAt = Date.now();
  const question: OpenQuestion = { ...asking, id, askedAt, expiresAt: askedAt + waitMs };
  makeDirectory(questions);
  writeWhole(join(questions, `${id}.json`), JSON.stringify(question));
  try {
    const answer = await waitForAnswer(join(questions, `${id}.answer`), { questions, waitMs, signal });
    return answer === null ? { answer: 'no', by: 'nobody' } : { answer, by: 'person' };
  } finally {
    rmSync(join(questions, `${id}.json`), { force: true });
    rmSync(join(questions, `${id}.answer`), { force: true });
  }
}

function waitForAnswer(file: string, { questions, waitMs, signal }: Waiting): Promise<Answer | null> {
  return new Promise((resolve) => {
    const settle = (answer: Answer | null): void => {
      clearInterval(looking);
      clearTimeout(waiting);
      watcher?.close();
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const look = (): void => {
      const answer = readAnswer(file);
      if (answer !== null) settle(answer);
    };
    const onAbort = (): void => settle(null);
    const watcher = tryWatch(questions, look);
    const looking = setInterval(look, LOOK_MS);
    const waiting = setTimeout(() => settle(readAnswer(file)), waitMs);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) settle(null);
    else look();
  });
}

function tryWatch(directory: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // No watches left on this machine: looking now and then will do.
    return null;
  }
}

function readAnswer(file: string): Answer | null {
  const text = readText(file)?.trim();
  return text === 'once' || text === 'always' || text === 'no' ? text : null;
}

function listQuestions(questions: string): readonly OpenQuestion[] {
  const now = Date.now();
  return readNames(questions)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => toQuestion(readText(join(questions, name))))
    .filter(({ id, expiresAt }) => expiresAt > now && readAnswer(join(questions, `${id}.answer`)) === null)
    .sort((a, b) => a.askedAt - b.askedAt);
}

function answerQuestion(
  { id, answer }: { readonly id: string; readonly answer: Answer },
  { questions, learned }: Files,
): void {
  const question = listQuestions(questions).find((open) => open.id === id);
  if (question === undefined) throw new NacreError('approval_not_found', { id });
  // A link cannot replace a file, so a second answer cannot replace the first.
  const draft = join(questions, `${id}.${process.pid}.draft`);
  writeFileSync(draft, answer, { mode: 0o600 });
  try {
    linkSync(draft, join(questions, `${id}.answer`));
  } catch (cause) {
    throw new NacreError('approval_not_found', { id }, { cause });
  } finally {
    rmSync(draft, { force: true });
  }
  if (answer !== 'always') return;
  const lines = question.always.map((rule) => `${JSON.stringify({ action: 'allow', ...rule })}\n`);
  writeFileSync(learned, lines.join(''), { flag: 'a', mode: 0o600 });
}

function toQuestion(text: string | null): readonly OpenQuestion[] {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && 'id' in value && 'expiresAt' in value
    ? [value as OpenQuestion]
    : [];
}

function toRule(line: string): readonly ApprovalRule[] {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null || !('prefix' in value)) return [];
  const { prefix } = value;
  return Array.isArray(prefix) && prefix.length > 0 && prefix.every((word) => typeof word === 'string')
    ? [{ action: 'allow', prefix, exact: 'exact' in value && value.exact === true }]
    : [];
}

function readLines(file: string): readonly string[] {
  return readText(file)?.split('\n').filter(Boolean) ?? [];
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.draft`, text, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // Half a line of somebody who was killed: no rule, no question.
    return null;
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Answered, withdrawn or never there.
    return null;
  }
}

function readNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nobody has asked anything yet.
    return [];
  }
}
