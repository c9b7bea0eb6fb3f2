import { isatty } from 'node:tty';
import {
  type Approvals,
  NacreError,
  type OpenQuestion,
  type QuestionEvent,
  type Reply,
} from '../../../index.ts';
import { complainRaw, print } from '../print.ts';
import { askPerson } from './ask-person.ts';
import { renderQuestion } from './render-question.ts';

/** Shows questions as they come, until it is interrupted; on a terminal it takes the answers, too. */
export async function watchQuestions(approvals: Approvals, json: boolean): Promise<number> {
  if (json) return follow(approvals, (event) => print(`${JSON.stringify(event)}\n`));
  if (!isatty(0) || !isatty(1)) return follow(approvals, (event) => print(renderEvent(event)));
  complainRaw('Waiting for questions; Ctrl-C ends it.\n');
  const room = new AskingRoom(approvals);
  return follow(approvals, (event) => room.hear(event));
}

function renderEvent({ kind, question }: QuestionEvent): string {
  return kind === 'asked' ? renderQuestion(question) : `${question.id}  settled\n`;
}

/** A person is asked one thing at a time. */
class AskingRoom {
  readonly #approvals: Approvals;
  readonly #waiting: OpenQuestion[] = [];
  #asking: { readonly id: string; readonly settled: AbortController } | null = null;

  constructor(approvals: Approvals) {
    this.#approvals = approvals;
  }

  hear({ kind, question }: QuestionEvent): void {
    if (kind === 'asked') {
      this.#waiting.push(question);
      void this.#askNext();
      return;
    }
    const at = this.#waiting.findIndex(({ id }) => id === question.id);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#asking?.id === question.id) this.#asking.settled.abort();
  }

  async #askNext(): Promise<void> {
    if (this.#asking !== null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const settled = new AbortController();
    this.#asking = { id: next.id, settled };
    const reply = await askPerson(next, settled.signal);
    this.#asking = null;
    if (reply === undefined) complainRaw(`${next.id} is settled.\n`);
    else this.#answer(next.id, reply);
    void this.#askNext();
  }

  #answer(id: string, { answer, reason }: Reply): void {
    try {
      this.#approvals.answer(id, answer, reason === undefined ? {} : { reason });
    } catch (error) {
      if (!(error instanceof NacreError)) throw error;
      complainRaw(`${error.message}\n`);
    }
  }
}

/** The status is that of an interruption: nothing else ends it. */
function follow(approvals: Approvals, listener: (event: QuestionEvent) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const stop = approvals.watch((event) => {
      try {
        listener(event);
      } catch (error) {
        stop();
        reject(error);
      }
    });
    process.once('SIGINT', () => {
      stop();
      resolve(130);
    });
  });
}
