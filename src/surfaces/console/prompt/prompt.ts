import type { Key } from '../keys/key.ts';
import { type Completion, type CompletionPlace, complete } from './completion.ts';
import { type Draft, draftOf, EMPTY_DRAFT, edit } from './editor.ts';
import type { History } from './history.ts';

/** What a key at the prompt comes to. */
export type PromptEvent =
  | { readonly kind: 'submit'; readonly line: string }
  | { readonly kind: 'changed' }
  | null;

export interface PromptOptions {
  readonly history: History;
  readonly place: () => CompletionPlace;
}

/** The line being written: editing, history, search in it, completion. */
export class Prompt {
  readonly #options: PromptOptions;
  #draft: Draft = EMPTY_DRAFT;
  /** What was being written before going back in time. */
  #kept: Draft = EMPTY_DRAFT;
  #index: number;
  #query: string | null = null;
  #choices: readonly string[] = [];

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#index = options.history.length;
  }

  get draft(): Draft {
    return this.#draft;
  }

  get choices(): readonly string[] {
    return this.#choices;
  }

  /** What is searched for in the history; `null` while nothing is. */
  get query(): string | null {
    return this.#query;
  }

  clear(): void {
    this.#draft = EMPTY_DRAFT;
    this.#query = null;
    this.#choices = [];
    this.#index = this.#options.history.length;
  }

  onKey(key: Key): PromptEvent {
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

  #edit(key: Key, hadChoices: boolean): PromptEvent {
    const next = edit(this.#draft, key);
    if (next === null) return hadChoices ? { kind: 'changed' } : null;
    this.#draft = next;
    return { kind: 'changed' };
  }

  /** A line that ends with a backslash goes on. */
  #submit(): PromptEvent {
    const line = this.#draft.text;
    if (line.endsWith('\\') && !line.endsWith('\\\\')) {
      this.#draft = draftOf(`${line}\n`);
      return { kind: 'changed' };
    }
    this.#options.history.add(line);
    this.clear();
    return { kind: 'submit', line };
  }

  #complete(): PromptEvent {
    const { draft, choices }: Completion = complete(this.#draft, this.#options.place());
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
    this.#draft = to === history.length ? this.#kept : draftOf(history.at(to) ?? '');
    return { kind: 'changed' };
  }

  #search(key: Key, query: string): PromptEvent {
    if (key.name === 'escape' || key.name === 'ctrl-c' || key.name === 'ctrl-g') this.clear();
    else if (key.name === 'ctrl-r') this.#find(query, this.#index);
    else if (key.name === 'backspace') this.#find(query.slice(0, -1));
    else if (key.name === 'text' || key.name === 'paste') this.#find(query + key.text);
    else {
      // Any other key takes what was found, and does what it does.
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
    this.#draft = draftOf(this.#options.history.at(index) ?? '');
  }
}
