import type { Answer, Bash, OpenQuestion } from '../../../index.ts';
import type { Key } from '../keys/key.ts';

/** The keys go to a question; `storing` is a lasting answer that still has to be confirmed. */
export interface QuestionFocus {
  readonly storing: Answer | null;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  y: 'once',
  n: 'no',
  a: 'always',
  p: 'project',
  e: 'everywhere',
};

/** The questions that wait for an answer, oldest first, and which keys go to the oldest. */
export class Questions {
  readonly #approvals: Pick<Bash['approvals'], 'answer' | 'watch'>;
  readonly #open: OpenQuestion[] = [];
  #focus: (QuestionFocus & { readonly id: string }) | null = null;

  constructor(approvals: Pick<Bash['approvals'], 'answer' | 'watch'>) {
    this.#approvals = approvals;
  }

  get first(): OpenQuestion | null {
    return this.#open[0] ?? null;
  }

  get count(): number {
    return this.#open.length;
  }

  /** `null` while keys do not answer. A question that takes the place of another one does not get its focus. */
  get focus(): QuestionFocus | null {
    return this.#focus?.id === this.first?.id ? this.#focus : null;
  }

  /** Follows what is asked and answered, here or anywhere; what it returns ends that. */
  watch(onChange: (kind: 'asked' | 'settled') => void): () => void {
    return this.#approvals.watch(({ kind, question }) => {
      const at = this.#open.findIndex(({ id }) => id === question.id);
      if (kind === 'asked' && at < 0) this.#open.push(question);
      else if (kind === 'settled' && at >= 0) this.#open.splice(at, 1);
      onChange(kind);
    });
  }

  /** Whether the key was for a question: ctrl-y gives it the focus, and only then other keys answer. */
  take(key: Key): boolean {
    const { first, focus } = this;
    if (first === null || key.name === 'release') return false;
    if (key.name === 'ctrl-y') {
      this.#focus = { id: first.id, storing: null };
      return true;
    }
    if (focus === null) return false;
    if (focus.storing !== null) this.#confirm(key, focus.storing);
    else if (key.name === 'escape') this.#focus = null;
    else if (key.name === 'text') this.#choose(key.text, first);
    else return key.name === 'paste' || key.name === 'enter';
    return true;
  }

  #choose(text: string, { id, always }: OpenQuestion): void {
    const answer = Object.hasOwn(ANSWERS, text) ? ANSWERS[text] : undefined;
    if (answer === undefined) return;
    if (answer === 'once' || answer === 'no') this.#answer(answer);
    else if (always.length > 0) this.#focus = { id, storing: answer };
  }

  /** Enter stores what is shown; any other key goes back to the question. */
  #confirm({ name }: Key, storing: Answer): void {
    if (name === 'enter') this.#answer(storing);
    else if (this.#focus !== null) this.#focus = { ...this.#focus, storing: null };
  }

  #answer(answer: Answer): void {
    const question = this.#open.shift();
    this.#focus = null;
    if (question === undefined) return;
    try {
      this.#approvals.answer(question.id, answer);
    } catch {
      // Another program answered first.
    }
  }
}
