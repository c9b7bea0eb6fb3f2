import { type Bash, type BashOptions, type CallResult, createBash, type JobEnd } from '../../index.ts';
import { BackpressureQueue, ConcurrencyLimit } from '../serving/concurrency-limit.ts';
import { MultiRequestCall, type MultiRequestCallOptions } from './multi-request-call.ts';
import { ResourceWatcher } from './resources.ts';

/** How long clients wait for a tool before they give up, in seconds; progress does not make them wait longer. */
const KNOWN_LIMITS: readonly (readonly [name: RegExp, seconds: number | null])[] = [
  [/codex/i, 300],
  [/gemini/i, 600],
  [/claude/i, null],
];

/** What the protocol's own libraries wait for when nobody sets anything. */
const UNKNOWN_CLIENT_SECONDS = 60;

/** Between our answer and the client's limit: a busy machine must not make us late. */
const MARGIN_MS = 10_000;

/** How a client's limit is found: a number of milliseconds, 0 for none, or by the name of the client. */
export type ClientCallLimit = number | 'auto';

/** After how long a call must have answered, in milliseconds; `null`: whenever it likes. */
export function toAnswerDeadlineMs(limit: ClientCallLimit, clientName: string): number | null {
  const limitMs = limit === 'auto' ? knownLimitMs(clientName) : limit;
  if (limitMs === null || limitMs === 0) return null;
  return Math.max(limitMs / 2, limitMs - MARGIN_MS);
}

function knownLimitMs(clientName: string): number | null {
  const known = KNOWN_LIMITS.find(([name]) => name.test(clientName));
  const seconds = known === undefined ? UNKNOWN_CLIENT_SECONDS : known[1];
  return seconds === null ? null : seconds * 1_000;
}

/** Whoever can tell a client of something it did not ask for at this moment. */
export interface ClientNotifier {
  /** What its client has subscribed to by name; where it does so elsewhere there is nothing here. */
  readonly subscribed: ReadonlySet<string>;
  resourceUpdated(uri: string): void;
  resourcesChanged(): void;
  /** The end of a job: the status and the exit code are on the first line. */
  jobEnded(text: string, failed: boolean): void;
}

export interface ToolSessionOptions {
  readonly bash: BashOptions;
  readonly callLimit: ClientCallLimit;
  /** How long a question may be answered by another program where the client cannot ask; 0: not at all. */
  readonly answeredElsewhereMs: number;
  /** Resolves when the client has taken what it was sent; without it nobody knows. */
  readonly clientDrained?: () => Promise<void> | undefined;
}

type NewToolCall = Pick<MultiRequestCallOptions, 'canAsk' | 'trace'> & { readonly input: unknown };

/** A call that was started, and its end. */
export interface StartedCall {
  readonly call: MultiRequestCall;
  readonly finished: Promise<CallResult>;
}

interface OpenedTool {
  readonly bash: Bash;
  readonly answerWithinMs: number | null;
  readonly watch: ResourceWatcher;
}

/** How long the result of a call is kept whose client was asked something and did not come back. */
const KEEP_RESULT_MS = 600_000;
/** Between TERM and KILL when the client is gone. */
const CLOSE_GRACE_MS = 2_000;

/** What one client has of the tool: a session of its own, opened when it is first needed, and its calls under way. */
export class ToolSession {
  readonly jobCalls: ConcurrencyLimit = new ConcurrencyLimit(100, 'calls of the job tool are under way');
  readonly resourceReads: BackpressureQueue;
  readonly notifiers: Set<ClientNotifier> = new Set();
  readonly #options: ToolSessionOptions;
  readonly #underWay = new ConcurrencyLimit(100, 'calls are under way');
  readonly #calls = new Map<string, StartedCall>();
  /** What is to be told with the next result. */
  #news: string[] = [];
  #opened: OpenedTool | undefined;
  #closed = false;

  constructor(options: ToolSessionOptions) {
    this.#options = options;
    this.resourceReads = new BackpressureQueue(
      new ConcurrencyLimit(100, 'resources wait to be read'),
      options.clientDrained ?? (() => undefined),
    );
  }

  /** The first to ask decides whose limit counts: a session has one client. */
  openBash(clientName: string): Bash {
    this.#opened ??= this.#create(clientName);
    return this.#opened.bash;
  }

  /** How long a request may take before its client gives up; `null`: as long as it likes. */
  get answerWithinMs(): number | null {
    return this.#opened?.answerWithinMs ?? null;
  }

  /** @throws {NacreError} `too_many` */
  startCall(bash: Bash, { input, ...how }: NewToolCall): StartedCall {
    const leave = this.#underWay.acquire();
    const { answeredElsewhereMs } = this.#options;
    const call = new MultiRequestCall({ ...how, answeredElsewhereMs });
    const started = { call, finished: call.run(bash, input) };
    this.#calls.set(call.id, started);
    const finish = (): void => {
      leave();
      setTimeout(() => this.forgetCall(call.id), KEEP_RESULT_MS).unref();
    };
    started.finished.then(finish, finish);
    return started;
  }

  /** A call that asked something; `undefined` when it is long over. */
  findCall(id: string): StartedCall | undefined {
    return this.#calls.get(id);
  }

  /** Its result has been given. */
  forgetCall(id: string): void {
    this.#calls.delete(id);
  }

  jobStarted(): void {
    for (const announcer of this.notifiers) announcer.resourcesChanged();
    this.watchResources();
  }

  /** Something was started, or subscribed to: from now on changes are told. */
  watchResources(): void {
    if (this.notifiers.size > 0) this.#opened?.watch.wake();
  }

  /** Each piece of news once. */
  takeJobEndNotes(): readonly string[] {
    return this.#news.splice(0);
  }

  /** Ends what is waited for, at once when `killSignal` is aborted; jobs go on. */
  async close(killSignal?: AbortSignal): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const calls = [...this.#calls.values()];
    for (const { call } of calls) call.stop();
    // Nobody is left to whom a longer grace would be of use.
    const timer = setTimeout(() => {
      for (const { call } of calls) call.kill();
    }, CLOSE_GRACE_MS);
    this.#opened?.watch.close();
    await this.#opened?.bash.close({ killSignal });
    clearTimeout(timer);
  }

  #create(clientName: string): OpenedTool {
    const { bash: options, callLimit } = this.#options;
    const within = toAnswerDeadlineMs(callLimit, clientName);
    const { autoBackground } = options.async ?? {};
    // The description says how long a call waits; so it must be what really happens.
    const afterMs = Math.min(autoBackground?.afterMs ?? 60_000, within ?? Number.POSITIVE_INFINITY);
    const bash = createBash({
      ...options,
      async: { ...options.async, autoBackground: { ...autoBackground, afterMs } },
      onJobEnd: (end) => this.#tell(end),
    });
    const watch = new ResourceWatcher({
      bash,
      subscribed: () => [...this.notifiers].flatMap(({ subscribed }) => [...subscribed]),
      onChange: (uri) => {
        for (const announcer of this.notifiers) announcer.resourceUpdated(uri);
      },
    });
    return { bash, answerWithinMs: within, watch };
  }

  #tell({ job, text }: JobEnd): void {
    if (this.#closed) throw new Error('The client is gone; whoever comes next is to be told.');
    this.#news.push(text.split('\n', 1)[0] ?? '');
    for (const announcer of this.notifiers) {
      announcer.jobEnded(text, job.state === 'failed');
      announcer.resourceUpdated(`job://${job.id}`);
      announcer.resourceUpdated(`artifact://${job.id}`);
      announcer.resourcesChanged();
    }
  }
}
