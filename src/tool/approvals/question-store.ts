import { type FSWatcher, linkSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  currentProcessIdentity,
  isProcessAlive,
  type ProcessIdentity,
} from '../../engine/process/process-identity.ts';
import {
  listDirectory,
  makePrivateDirectory,
  parseJsonOrNull,
  readTextFile,
  writeFileAtomically,
} from '../../engine/process/state-files.ts';
import { NacreError } from '../../errors.ts';
import { isAnswer, type OpenQuestion, type Reply } from '../contract/policy-verdict.ts';

// A watch can be missed on some file systems, and not every change makes one; looking now and then cannot.
const POLL_MS = 500;

/** Calls back when something in a directory may have changed. What it returns ends that. */
export function watchDirectory(directory: string, look: () => void): () => void {
  let watcher = tryWatch(directory, look);
  const looking = setInterval(() => {
    watcher ??= tryWatch(directory, look);
    look();
  }, POLL_MS);
  return () => {
    clearInterval(looking);
    watcher?.close();
  };
}

function tryWatch(directory: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // No such directory yet, or no watches left on this machine: looking now and then will do.
    return null;
  }
}

/** A question with who waits for its answer. */
interface StoredQuestion {
  readonly question: OpenQuestion;
  readonly asker: ProcessIdentity;
}

/**
 * Questions on disk, which any program of the same person can answer.
 *
 * `<id>.json` is the question, `<id>.answer` what settles it: a link, which cannot replace a file, so the first answer counts
 * and every other is told that it came too late.
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

  /** Those that still wait, oldest first. What a killed program left behind goes. */
  list(): readonly OpenQuestion[] {
    const now = Date.now();
    return listDirectory(this.directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => this.#readOpen(name.slice(0, -'.json'.length), now))
      .sort((a, b) => a.askedAt - b.askedAt);
  }

  /** @throws {NacreError} `approval_not_found` when it is settled, gone, or several begin so. */
  find(id: string): OpenQuestion {
    const open = this.list();
    const named = open.filter((question) => question.id.startsWith(id));
    const found = open.find((question) => question.id === id) ?? (named.length === 1 ? named[0] : undefined);
    if (found === undefined || id === '') throw new NacreError('approval_not_found', { id });
    return found;
  }

  /** Settles a question. Gives back the reply that counts: this one, or one that was there before. */
  settle(id: string, reply: Reply): Reply {
    const draft = this.#path(id, `${process.pid}.draft`);
    writeFileSync(draft, JSON.stringify(reply), { mode: 0o600 });
    try {
      linkSync(draft, this.#path(id, 'answer'));
      return reply;
    } catch {
      return this.replyTo(id) ?? reply;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** `null` while nobody has answered. */
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
  return isObject(value) && isAnswer(value.answer);
}

function isStoredQuestion(value: unknown): value is StoredQuestion {
  return isObject(value) && isObject(value.question) && isObject(value.asker);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
