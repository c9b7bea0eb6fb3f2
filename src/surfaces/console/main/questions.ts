import type { Answer, Bash, OpenQuestion } from '../../../index.ts';

/** What waits for a person's word, oldest first. */
export class Questions {
  readonly #approvals: Pick<Bash['approvals'], 'answer' | 'watch'>;
  readonly #open: OpenQuestion[] = [];

  constructor(approvals: Pick<Bash['approvals'], 'answer' | 'watch'>) {
    this.#approvals = approvals;
  }

  get first(): OpenQuestion | null {
    return this.#open[0] ?? null;
  }

  get count(): number {
    return this.#open.length;
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

  answerFirst(answer: Answer): void {
    const question = this.#open.shift();
    if (question === undefined) return;
    try {
      this.#approvals.answer(question.id, answer);
    } catch {
      // Somebody else was faster.
    }
  }
}
