import { NacreError } from '../../../errors.ts';
import type { Ending, StopReason } from '../../run/ending.ts';
import { createRunId } from '../../run/record/id.ts';
import type { Run, RunEnd, RunRequest } from '../../run/request.ts';
import type { ClientExit, ClientTerminal } from './client-terminals.ts';
import { GrowingOutput } from './growing-output.ts';
import { within } from './within.ts';

/** How often the output is asked for. */
const LOOK_EVERY_MS = 250;
/** How long an answer may take. */
const ANSWER_MS = 2_000;
/** After so many looks in a row without an answer nobody is there any more. */
const MOST_MISSES = 10;
/** On top of the grace: to kill, to see the end and to read what is left. */
const LAST_LOOK_MS = 300;
const RELEASE_MS = 500;
/** Timers take no longer time than this; longer ones would ring at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A run in a terminal of the client: we look on, and only the client can reach its processes. */
export class ClientRun implements Run {
  readonly id: string = createRunId();
  /** There is none. */
  readonly directory = '';
  /** Not ours to know. */
  readonly pid = 0;
  readonly startedAt: number = Date.now();
  readonly terminalId: string;
  readonly ended: Promise<RunEnd>;
  readonly #terminal: ClientTerminal;
  readonly #request: RunRequest;
  readonly #output = new GrowingOutput();
  readonly #notes: string[] = [];
  readonly #exit: Promise<ClientExit | null>;
  readonly #timer: NodeJS.Timeout | undefined;
  #reason: StopReason | null = null;
  #graceMs: number;
  #wake: () => void = () => undefined;
  #misses = 0;

  constructor(terminal: ClientTerminal, request: RunRequest) {
    this.#terminal = terminal;
    this.#request = request;
    this.#graceMs = request.graceMs;
    this.terminalId = terminal.id;
    // Failing here says nothing yet: the output tells of an end, too.
    this.#exit = terminal.waitForExit().catch(() => new Promise<never>(() => undefined));
    const { timeoutMs } = request;
    if (timeoutMs !== null && timeoutMs <= LONGEST_TIMER_MS)
      this.#timer = setTimeout(() => void this.stop('timeout'), timeoutMs);
    this.ended = this.#follow();
  }

  async stop(reason: StopReason, graceMs: number = this.#request.graceMs): Promise<void> {
    this.#reason ??= reason;
    this.#graceMs = Math.min(this.#graceMs, graceMs);
    this.#wake();
    await this.ended;
  }

  /** The protocol knows no signals. */
  signal(): void {
    void this.stop('kill');
  }

  async send(): Promise<void> {
    throw this.#noInput();
  }

  async endInput(): Promise<void> {
    throw this.#noInput();
  }

  async resize(): Promise<void> {
    // The terminal is the client's, and so is its size.
  }

  abandon(): void {
    this.#terminal.release().catch(() => undefined);
  }

  release(): void {
    // It cannot go on without us, so it is never let go.
  }

  async #follow(): Promise<RunEnd> {
    let ending: Ending;
    try {
      ending = await this.#untilEnd();
    } catch (error) {
      ending = { kind: 'lost', why: error instanceof Error ? error.message : String(error) };
    }
    clearTimeout(this.#timer);
    if (
      (await within(
        this.#terminal.release().then(() => true),
        RELEASE_MS,
      )) === null
    )
      this.#notes.push('The client did not take its terminal back.');
    if (this.#output.gaps > 0)
      this.#notes.push('Some of the output went by unseen: the client holds only the end of it.');
    return {
      ending,
      wallTimeMs: Date.now() - this.startedAt,
      leftovers: [],
      survivors: [],
      pipeStatus: null,
      notes: [...this.#notes, LIMITS_NOTE],
    };
  }

  async #untilEnd(): Promise<Ending> {
    for (;;) {
      const exit = await this.#nextTurn();
      if (this.#reason !== null && exit === null) return this.#end(this.#reason);
      const seen = await this.#look(ANSWER_MS);
      const status = exit ?? seen;
      if (status !== null) return this.#reason === null ? toEnding(status) : this.#stopped(this.#reason);
      if (this.#misses >= MOST_MISSES) return { kind: 'lost', why: 'the client does not answer' };
    }
  }

  /** The end of the program, or `null` when it is time to look or to stop. */
  #nextTurn(): Promise<ClientExit | null> {
    const turn = new Promise<null>((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS, null);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(null);
      };
      if (this.#reason !== null) this.#wake();
    });
    return Promise.race([this.#exit, turn]).finally(() => this.#wake());
  }

  /** Reads what is new. Gives how the program ended, if it has. */
  async #look(ms: number): Promise<ClientExit | null> {
    const answer = await within(this.#terminal.output(), ms);
    this.#misses = answer === null ? this.#misses + 1 : 0;
    if (answer === null) return null;
    const fresh = this.#output.next(answer.output);
    if (fresh !== '') await this.#request.onBytes?.('out', Buffer.from(fresh));
    return answer.exitStatus ?? null;
  }

  /** Everything together takes no longer than the grace and a moment. */
  async #end(reason: StopReason): Promise<Ending> {
    const deadline = Date.now() + this.#graceMs + LAST_LOOK_MS;
    const left = (): number => deadline - Date.now();
    await within(this.#terminal.kill(), left());
    const exit = await within(this.#exit, Math.max(left() - LAST_LOOK_MS / 2, 0));
    const seen = await this.#look(Math.max(left(), LAST_LOOK_MS / 2));
    if (exit === null && seen === null)
      this.#notes.push('The client did not say that the command has ended; it may still be running there.');
    return this.#stopped(reason);
  }

  #stopped(reason: StopReason): Ending {
    return { kind: 'stopped', reason, forced: false };
  }

  #noInput(): NacreError {
    return new NacreError('input_closed', { id: this.id, reason: "it runs in the client's terminal" });
  }
}

const LIMITS_NOTE =
  "Run in the client's terminal: its full output is not kept, it cannot become a job, and what it left behind is the client's to end.";

/** Whatever the signal was, the code is that of a kill: clients do not tell the number. */
function toEnding({ exitCode, signal }: ClientExit): Ending {
  if (signal) return { kind: 'signaled', signal, number: 9 };
  if (typeof exitCode === 'number') return { kind: 'exited', exitCode };
  return { kind: 'lost', why: 'the client did not say how it ended' };
}
