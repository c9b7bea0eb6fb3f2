import type { Calls } from '../cards/calls.ts';
import type { Key } from '../keys/key.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { Browsing } from './browsing.ts';

export interface ControlsOptions {
  readonly calls: Calls;
  readonly prompt: Prompt;
  readonly browsing: Browsing;
  /** Rows that one page scrolls. */
  readonly page: () => number;
  readonly say: (text: string) => void;
  readonly openCurrent: () => void;
  readonly openJobs: () => void;
  readonly redraw: () => void;
  readonly quit: () => void;
}

/** The keys of the console itself, before what is written gets them. */
export class Controls {
  readonly #options: ControlsOptions;
  readonly #actions: Readonly<Record<string, () => void>>;

  constructor(options: ControlsOptions) {
    const { browsing, page, openCurrent, openJobs, redraw } = options;
    this.#options = options;
    this.#actions = {
      escape: () => this.#escape(),
      'ctrl-c': () => this.#interrupt(),
      'ctrl-d': () => this.#endOfInput(),
      'ctrl-z': () => options.say('Nothing to suspend: esc stops what runs, ctrl-d leaves.'),
      'ctrl-o': () => browsing.toggle(),
      'ctrl-g': openCurrent,
      'ctrl-b': openJobs,
      'ctrl-l': redraw,
      'page-up': () => browsing.scrollTo(browsing.scroll + page()),
      'page-down': () => browsing.scrollTo(browsing.scroll - page()),
      'alt-up': () => browsing.choose(-1),
      'alt-down': () => browsing.choose(1),
    };
  }

  /** Whether the key was one of them. A search in the history has all keys to itself. */
  take({ name }: Key): boolean {
    const action = this.#options.prompt.query === null ? this.#actions[name] : undefined;
    action?.();
    return action !== undefined;
  }

  #escape(): void {
    const { calls, prompt, browsing } = this.#options;
    if (calls.newest !== null) calls.stop(calls.newest);
    else if (prompt.draft.text !== '') prompt.clear();
    browsing.reset();
  }

  #interrupt(): void {
    const { calls, prompt, say } = this.#options;
    if (prompt.draft.text !== '') prompt.clear();
    else if (calls.newest !== null) calls.stop(calls.newest);
    else say('Nothing runs. ctrl-d leaves.');
  }

  #endOfInput(): void {
    const { prompt, quit } = this.#options;
    if (prompt.draft.text === '') quit();
    else prompt.onKey({ name: 'delete', text: '', raw: '' });
  }
}
