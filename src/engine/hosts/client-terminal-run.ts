import { errorMessage, NacreError } from '../../errors.ts';
import { createRunId } from '../run/run-files.ts';
import type { Ending, Run, RunEnd, RunRequest, StopReason } from '../run/run-request.ts';

/** The terminals of an ACP client such as an editor. Requests may fail or stay unanswered. */
export interface ClientTerminals {
  create(request: ClientTerminalRequest): Promise<ClientTerminal>;
}

/** A program and its arguments to run in a client terminal; no shell interprets them. */
export interface ClientTerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the client's terminals. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** Bytes of output that the client retains; the oldest bytes are dropped first. */
  readonly outputByteLimit: number;
}

/** A program that runs in a terminal of the client. */
export interface ClientTerminal {
  readonly id: string;
  /** Returns the retained output, and the exit status if the program has exited. */
  output(): Promise<ClientTerminalOutput>;
  waitForExit(): Promise<ClientExit>;
  /** Kills the program; its output can still be read. */
  kill(): Promise<unknown>;
  /** Kills the program if it still runs, and closes the terminal. */
  release(): Promise<unknown>;
}

/** The output that a client retains, and the exit status if the program has exited. */
export interface ClientTerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: ClientExit | null;
}

/** The exit status of a program in a client terminal. */
export interface ClientExit {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

const POLL_MS = 250;
const ANSWER_TIMEOUT_MS = 2_000;
/** After this many unanswered polls in a row the run counts as lost. */
const MAX_MISSED_POLLS = 10;
/** Added to the grace period: time to kill the program and to read its remaining output. */
const FINAL_POLL_MS = 300;
const RELEASE_TIMEOUT_MS = 500;
/** Longest delay that a Node timer accepts; a longer one would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A run in a terminal of the client. Its output is polled, and only the client can signal its processes. */
export class ClientRun implements Run {
  readonly id: string = createRunId();
  /** Such a run has no run directory. */
  readonly directory = '';
  /** The protocol does not report the pid. */
  readonly pid = 0;
  readonly startedAt: number = Date.now();
  readonly terminalId: string;
  readonly ended: Promise<RunEnd>;
  readonly #terminal: ClientTerminal;
  readonly #request: RunRequest;
  readonly #output = new NewOutputTracker();
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
    // A failure here is ignored: output() reports the exit as well.
    this.#exit = terminal.waitForExit().catch(() => new Promise<never>(() => undefined));
    const { timeoutMs } = request;
    if (timeoutMs !== null && timeoutMs <= MAX_TIMEOUT_MS)
      this.#timer = setTimeout(() => void this.stop('timeout'), timeoutMs);
    this.ended = this.#follow();
  }

  async stop(reason: StopReason, graceMs: number = this.#request.graceMs): Promise<void> {
    this.#reason ??= reason;
    this.#graceMs = Math.min(this.#graceMs, graceMs);
    this.#wake();
    await this.ended;
  }

  /** The protocol has no signals, so every signal kills the program. */
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
    // The client decides the size of its terminal.
  }

  abandon(): void {
    this.#terminal.release().catch(() => undefined);
  }

  release(): void {
    // The run cannot continue without this process, so it never becomes a job.
  }

  async #follow(): Promise<RunEnd> {
    let ending: Ending;
    try {
      ending = await this.#awaitEnd();
    } catch (error) {
      ending = { kind: 'lost', why: errorMessage(error) };
    }
    clearTimeout(this.#timer);
    const released = this.#terminal.release().then(() => true);
    if ((await resolveWithin(released, RELEASE_TIMEOUT_MS)) === null)
      this.#notes.push('The client did not release the terminal.');
    if (this.#output.gaps > 0)
      this.#notes.push('Some output is missing: the client keeps only the last part of it.');
    return {
      ending,
      wallTimeMs: Date.now() - this.startedAt,
      leftovers: [],
      survivors: [],
      pipeStatus: null,
      notes: [...this.#notes, LIMITS_NOTE],
    };
  }

  async #awaitEnd(): Promise<Ending> {
    for (;;) {
      const exit = await this.#nextEvent();
      if (this.#reason !== null && exit === null) return this.#kill(this.#reason);
      const polled = await this.#poll(ANSWER_TIMEOUT_MS);
      const status = exit ?? polled;
      if (status !== null)
        return this.#reason === null ? toClientEnding(status) : this.#stopped(this.#reason);
      if (this.#misses >= MAX_MISSED_POLLS) return { kind: 'lost', why: 'the client does not answer' };
    }
  }

  /** Resolves with the exit status, or with `null` at the next poll or when a stop was requested. */
  #nextEvent(): Promise<ClientExit | null> {
    const wakeUp = new Promise<null>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS, null);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(null);
      };
      if (this.#reason !== null) this.#wake();
    });
    return Promise.race([this.#exit, wakeUp]).finally(() => this.#wake());
  }

  /** Reads new output; returns the exit status if the program has exited. */
  async #poll(ms: number): Promise<ClientExit | null> {
    const answer = await resolveWithin(this.#terminal.output(), ms);
    this.#misses = answer === null ? this.#misses + 1 : 0;
    if (answer === null) return null;
    const fresh = this.#output.next(answer.output);
    if (fresh !== '') await this.#request.onBytes?.('out', Buffer.from(fresh));
    return answer.exitStatus ?? null;
  }

  /** Kills the program within the grace period plus {@link FINAL_POLL_MS}. */
  async #kill(reason: StopReason): Promise<Ending> {
    const deadline = Date.now() + this.#graceMs + FINAL_POLL_MS;
    const left = (): number => deadline - Date.now();
    await resolveWithin(this.#terminal.kill(), left());
    const exit = await resolveWithin(this.#exit, Math.max(left() - FINAL_POLL_MS / 2, 0));
    const polled = await this.#poll(Math.max(left(), FINAL_POLL_MS / 2));
    if (exit === null && polled === null)
      this.#notes.push('The client did not report that the command ended; it may still be running there.');
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
  "Run in the client's terminal: the full output is not kept, the command cannot become a job, and only the client can stop its leftover processes.";

/** Clients report the signal name only, so the number is always that of SIGKILL. */
function toClientEnding({ exitCode, signal }: ClientExit): Ending {
  if (signal) return { kind: 'signaled', signal, number: 9 };
  if (typeof exitCode === 'number') return { kind: 'exited', exitCode };
  return { kind: 'lost', why: 'the client reported no exit status' };
}

/** Finds the new part of an output of which a client returns only the last bytes. */
export class NewOutputTracker {
  #seen = '';
  #gaps = 0;

  /** How often output was dropped by the client between two polls. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Returns the part that was added since the last call. */
  next(shown: string): string {
    const seen = this.#seen;
    this.#seen = shown;
    if (shown.startsWith(seen)) return shown.slice(seen.length);
    const overlap = overlapOf(seen, shown);
    if (overlap === 0) this.#gaps += 1;
    return shown.slice(overlap);
  }
}

/** Length of the longest suffix of `before` that is a prefix of `after` (Knuth-Morris-Pratt). */
function overlapOf(before: string, after: string): number {
  const borders = bordersOf(after);
  let length = 0;
  for (let at = Math.max(0, before.length - after.length); at < before.length; at += 1) {
    while (length > 0 && before[at] !== after[length]) length = borders[length - 1] ?? 0;
    if (before[at] === after[length]) length += 1;
  }
  return length;
}

/** For each position: length of the longest proper prefix of the text that ends there. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Resolves with the value of a promise, or with `null` when it rejects or takes too long. */
export async function resolveWithin<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), null);
  });
  try {
    return await Promise.race([promise.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
