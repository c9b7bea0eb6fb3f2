import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KeyPress } from '../screen/key-reader.ts';
import {
  type Completion,
  type CompletionSources,
  completeDraft,
  EMPTY_DRAFT,
  editDraft,
  type LineDraft,
  toDraft,
} from './line-editor.ts';

const MAX_HISTORY_LINES = 2_000;

/** The input history, oldest first, saved in a file with mode 0600. */
export class InputHistory {
  readonly #path: string | null;
  #lines: string[];

  /** `null`: the history is kept in memory only. */
  constructor(path: string | null) {
    this.#path = path;
    this.#lines = path === null ? [] : readHistoryFile(path);
  }

  get length(): number {
    return this.#lines.length;
  }

  at(index: number): string | undefined {
    return this.#lines[index];
  }

  add(line: string): void {
    if (line.trim() === '' || this.#lines.at(-1) === line) return;
    this.#lines.push(line);
    if (this.#path !== null) this.#keep(this.#path, line);
  }

  /** The index of the newest line before `before` that contains the text; `-1` for none. */
  search(text: string, before: number = this.#lines.length): number {
    for (let index = before - 1; index >= 0; index--) if (this.#lines[index]?.includes(text)) return index;
    return -1;
  }

  #keep(path: string, line: string): void {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (this.#lines.length > MAX_HISTORY_LINES * 1.5) {
        this.#lines = this.#lines.slice(-MAX_HISTORY_LINES);
        writeFileSync(path, this.#lines.map(toHistoryEntry).join(''), { mode: 0o600 });
      } else appendFileSync(path, toHistoryEntry(line), { mode: 0o600 });
    } catch {
      // A history that cannot be saved must not prevent the command.
    }
  }
}

/** Encodes an entry as one line. */
function toHistoryEntry(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

function readHistoryFile(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(parseHistoryEntry).slice(-MAX_HISTORY_LINES);
}

function parseHistoryEntry(entry: string): string[] {
  try {
    const line: unknown = JSON.parse(entry);
    return typeof line === 'string' ? [line] : [];
  } catch {
    return [];
  }
}

/** The effect of a key at the prompt. */
export type PromptEvent =
  | { readonly kind: 'submit'; readonly line: string }
  | { readonly kind: 'changed' }
  | null;

export interface PromptOptions {
  readonly history: InputHistory;
  readonly completionSources: () => CompletionSources;
}

/** The prompt: editing, history, history search and completion. */
export class Prompt {
  readonly #options: PromptOptions;
  #draft: LineDraft = EMPTY_DRAFT;
  /** The draft from before the history was browsed. */
  #kept: LineDraft = EMPTY_DRAFT;
  #index: number;
  #query: string | null = null;
  #choices: readonly string[] = [];

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#index = options.history.length;
  }

  get draft(): LineDraft {
    return this.#draft;
  }

  get choices(): readonly string[] {
    return this.#choices;
  }

  /** The text of the history search; `null` outside a search. */
  get query(): string | null {
    return this.#query;
  }

  clear(): void {
    this.#draft = EMPTY_DRAFT;
    this.#query = null;
    this.#choices = [];
    this.#index = this.#options.history.length;
  }

  onKey(key: KeyPress): PromptEvent {
    if (this.#query !== null) return this.#search(key, this.#query);
    const hadChoices = this.#choices.length > 0;
    this.#choices = [];
    switch (key.name) {
      case 'enter':
        return this.#submit();
      case 'tab':
        return this.#complete();
      case 'up':
      case 'ctrl-p':
        return this.#travel(-1);
      case 'down':
      case 'ctrl-n':
        return this.#travel(1);
      case 'ctrl-r':
        this.#query = '';
        return { kind: 'changed' };
      default:
        return this.#edit(key, hadChoices);
    }
  }

  #edit(key: KeyPress, hadChoices: boolean): PromptEvent {
    const next = editDraft(this.#draft, key);
    if (next === null) return hadChoices ? { kind: 'changed' } : null;
    this.#draft = next;
    return { kind: 'changed' };
  }

  /** A line that ends with a backslash continues on the next line. */
  #submit(): PromptEvent {
    const line = this.#draft.text;
    if (line.endsWith('\\') && !line.endsWith('\\\\')) {
      this.#draft = toDraft(`${line}\n`);
      return { kind: 'changed' };
    }
    this.#options.history.add(line);
    this.clear();
    return { kind: 'submit', line };
  }

  #complete(): PromptEvent {
    const { draft, choices }: Completion = completeDraft(this.#draft, this.#options.completionSources());
    this.#draft = draft;
    this.#choices = choices;
    return { kind: 'changed' };
  }

  #travel(by: 1 | -1): PromptEvent {
    const { history } = this.#options;
    const to = this.#index + by;
    if (to < 0 || to > history.length) return { kind: 'changed' };
    if (this.#index === history.length) this.#kept = this.#draft;
    this.#index = to;
    this.#draft = to === history.length ? this.#kept : toDraft(history.at(to) ?? '');
    return { kind: 'changed' };
  }

  #search(key: KeyPress, query: string): PromptEvent {
    if (key.name === 'escape' || key.name === 'ctrl-c' || key.name === 'ctrl-g') this.clear();
    else if (key.name === 'ctrl-r') this.#find(query, this.#index);
    else if (key.name === 'backspace') this.#find(query.slice(0, -1));
    else if (key.name === 'text' || key.name === 'paste') this.#find(query + key.text);
    else {
      // Any other key accepts the match and is then applied.
      this.#query = null;
      return key.name === 'enter' ? { kind: 'changed' } : this.onKey(key);
    }
    return { kind: 'changed' };
  }

  #find(query: string, before?: number): void {
    this.#query = query;
    const index = query === '' ? -1 : this.#options.history.search(query, before);
    if (index < 0) return;
    this.#index = index;
    this.#draft = toDraft(this.#options.history.at(index) ?? '');
  }
}
