import { type FSWatcher, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import {
  currentProcessIdentity,
  isProcessAlive,
  type ProcessIdentity,
} from '../../engine/process/process-identity.ts';
import {
  createFileAtomically,
  listDirectory,
  makePrivateDirectory,
  parseJsonOrNull,
  readTextFile,
  writeFileAtomically,
} from '../../engine/process/state-files.ts';
import { NacreError } from '../../errors.ts';
import { isRecord } from '../../validator.ts';
import { isAnswer, type OpenQuestion, type Reply } from '../contract/policy-verdict.ts';

// Polling covers file systems on which watch events are missed.
const POLL_MS = 500;

/** Calls back when the contents of a directory may have changed. Returns a function that stops the watch. */
export function watchDirectory(directory: string, check: () => void): () => void {
  let watcher = tryWatch(directory, check);
  const timer = setInterval(() => {
    watcher ??= tryWatch(directory, check);
    check();
  }, POLL_MS);
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}

function tryWatch(directory: string, check: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, check);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // The directory does not exist yet, or the watch limit is reached: polling is sufficient.
    return null;
  }
}

/** A question with the process that waits for the answer. */
interface StoredQuestion {
  readonly question: OpenQuestion;
  readonly asker: ProcessIdentity;
}

/**
 * Questions on disk that any process of the same user can answer.
 *
 * `<id>.json` is the question and `<id>.answer` the reply. The reply is created with link(2), which cannot
 * replace a file, so that only the first reply is accepted.
 */
export class QuestionStore {
  readonly directory: string;

  constructor(stateDirectory: string) {
    this.directory = join(stateDirectory, 'approvals', 'questions');
  }

  put(question: OpenQuestion): void {
    makePrivateDirectory(this.directory);
    const stored: StoredQuestion = { question, asker: currentProcessIdentity() };
    writeFileAtomically(this.#path(question.id, 'json'), JSON.stringify(stored));
  }

  /** Returns the open questions, oldest first, and removes those of ended processes. */
  list(): readonly OpenQuestion[] {
    const now = Date.now();
    return listDirectory(this.directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => this.#readOpen(name.slice(0, -'.json'.length), now))
      .sort((a, b) => a.askedAt - b.askedAt);
  }

  /**
   * Returns the open question with an id or a unique beginning of it.
   *
   * @throws {NacreError} `approval_not_found` when it is answered, expired or ambiguous
   */
  find(id: string): OpenQuestion {
    const open = this.list();
    const named = open.filter((question) => question.id.startsWith(id));
    const found = open.find((question) => question.id === id) ?? (named.length === 1 ? named[0] : undefined);
    if (found === undefined || id === '') throw new NacreError('approval_not_found', { id });
    return found;
  }

  /** Stores a reply. Returns the reply that is accepted: this one or an earlier one. */
  settle(id: string, reply: Reply): Reply {
    const isFirst = createFileAtomically(this.#path(id, 'answer'), JSON.stringify(reply));
    return isFirst ? reply : (this.replyTo(id) ?? reply);
  }

  /** Returns the stored reply, or `null` when there is none. */
  replyTo(id: string): Reply | null {
    const value = parseJsonOrNull(readTextFile(this.#path(id, 'answer')));
    return isReply(value) ? value : null;
  }

  remove(id: string): void {
    rmSync(this.#path(id, 'json'), { force: true });
    rmSync(this.#path(id, 'answer'), { force: true });
  }

  #readOpen(id: string, now: number): readonly OpenQuestion[] {
    const stored = parseJsonOrNull(readTextFile(this.#path(id, 'json')));
    if (!isStoredQuestion(stored)) return [];
    if (!isProcessAlive(stored.asker)) {
      this.remove(id);
      return [];
    }
    const isOpen = stored.question.expiresAt > now && this.replyTo(id) === null;
    return isOpen ? [stored.question] : [];
  }

  #path(id: string, ending: string): string {
    return join(this.directory, `${id}.${ending}`);
  }
}

function isReply(value: unknown): value is Reply {
  return isRecord(value) && isAnswer(value.answer);
}

function isStoredQuestion(value: unknown): value is StoredQuestion {
  return isRecord(value) && isRecord(value.question) && isRecord(value.asker);
}
