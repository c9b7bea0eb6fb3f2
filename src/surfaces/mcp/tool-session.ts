import { type Bash, type BashOptions, type CallResult, createBash, type JobEnd } from '../../index.ts';
import { BackpressureQueue, ConcurrencyLimit } from '../serving/concurrency-limit.ts';
import { findMcpClient, type McpClient } from './clients.ts';
import { MultiRequestCall, type MultiRequestCallOptions } from './multi-request-call.ts';
import { ResourceWatcher } from './resources.ts';

/** Margin between the response and the client's timeout, for a busy machine. */
const MARGIN_MS = 10_000;

/** The client's tool timeout in milliseconds; 0: none, `auto`: by the name of the client. */
export type ClientCallLimit = number | 'auto';

/** The time in milliseconds within which a call must be answered; `null`: no limit. */
export function toAnswerDeadlineMs(limit: ClientCallLimit, { timeoutSeconds }: McpClient): number | null {
  const limitMs = limit === 'auto' ? (timeoutSeconds ?? 0) * 1_000 : limit;
  return limitMs === 0 ? null : Math.max(limitMs / 2, limitMs - MARGIN_MS);
}

/** Sends notifications to a client. */
export interface ClientNotifier {
  /** The subscribed URIs; empty when the connection keeps the subscriptions. */
  readonly subscribed: ReadonlySet<string>;
  resourceUpdated(uri: string): void;
  resourcesChanged(): void;
  /** Reports the end of a job; the first line has the status and the exit code. */
  jobEnded(text: string, failed: boolean): void;
}

export interface ToolSessionOptions {
  readonly bash: BashOptions;
  readonly callLimit: ClientCallLimit;
  /** The value of the setting `mcp.client`. */
  readonly client: string;
  /** Time for an answer from another program when the client does not support elicitation; 0: none. */
  readonly answeredElsewhereMs: number;
  /** Resolves when the client has read everything that was sent; unknown when missing. */
  readonly clientDrained?: () => Promise<void> | undefined;
}

type NewToolCall = Pick<MultiRequestCallOptions, 'canAsk' | 'trace'> & { readonly input: unknown };

/** A started call and its result. */
export interface StartedCall {
  readonly call: MultiRequestCall;
  readonly finished: Promise<CallResult>;
}

interface OpenedTool {
  readonly bash: Bash;
  readonly answerWithinMs: number | null;
  readonly watch: ResourceWatcher;
}

/** How long a result is kept when the client does not return after a question. */
const KEEP_RESULT_MS = 600_000;
/** Time between SIGTERM and SIGKILL after the client has disconnected. */
const CLOSE_GRACE_MS = 2_000;

/** The tool for one client: a session, opened on first use, and the calls under way. */
export class ToolSession {
  readonly jobCalls: ConcurrencyLimit = new ConcurrencyLimit(100, 'calls of the job tool are under way');
  readonly resourceReads: BackpressureQueue;
  readonly notifiers: Set<ClientNotifier> = new Set();
  readonly #options: ToolSessionOptions;
  readonly #underWay = new ConcurrencyLimit(100, 'calls are under way');
  readonly #calls = new Map<string, StartedCall>();
  /** Job ends to report with the next result. */
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

  /** The facts about the client with this name, unless the setting names another. */
  findClient(clientName: string): McpClient {
    return findMcpClient(clientName, this.#options.client);
  }

  /** Opens the tool on first use; the first client determines the call limit and the size of the output. */
  openBash(client: McpClient): Bash {
    this.#opened ??= this.#create(client);
    return this.#opened.bash;
  }

  /** The time within which a request must be answered; `null`: no limit. */
  get answerWithinMs(): number | null {
    return this.#opened?.answerWithinMs ?? null;
  }

  /**
   * Starts a call.
   *
   * @throws {NacreError} `too_many`
   */
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

  /** A call that waits for an answer; `undefined` when its result has expired. */
  findCall(id: string): StartedCall | undefined {
    return this.#calls.get(id);
  }

  /** Discards a call whose result was delivered or has expired. */
  forgetCall(id: string): void {
    this.#calls.delete(id);
  }

  jobStarted(): void {
    for (const announcer of this.notifiers) announcer.resourcesChanged();
    this.watchResources();
  }

  /** Starts reporting changes after a job was started or a resource was subscribed to. */
  watchResources(): void {
    if (this.notifiers.size > 0) this.#opened?.watch.wake();
  }

  /** Returns each note once. */
  takeJobEndNotes(): readonly string[] {
    return this.#news.splice(0);
  }

  /** Stops the calls, immediately when `killSignal` is aborted; jobs keep running. */
  async close(killSignal?: AbortSignal): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const calls = [...this.#calls.values()];
    for (const { call } of calls) call.stop();
    // A disconnected client has no use for a longer grace period.
    const timer = setTimeout(() => {
      for (const { call } of calls) call.kill();
    }, CLOSE_GRACE_MS);
    this.#opened?.watch.close();
    await this.#opened?.bash.close({ killSignal });
    clearTimeout(timer);
  }

  #create(client: McpClient): OpenedTool {
    const { bash: options, callLimit } = this.#options;
    const within = toAnswerDeadlineMs(callLimit, client);
    const maxBytes = options.output?.maxBytes ?? client.maxOutputBytes;
    const { autoBackground } = options.async ?? {};
    // The tool description states this time, so it must match the effective limit.
    const afterMs = Math.min(autoBackground?.afterMs ?? 60_000, within ?? Number.POSITIVE_INFINITY);
    const bash = createBash({
      ...options,
      output: maxBytes === null ? {} : { maxBytes },
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
    if (this.#closed) throw new Error('The client has disconnected.');
    this.#news.push(text.split('\n', 1)[0] ?? '');
    for (const announcer of this.notifiers) {
      announcer.jobEnded(text, job.state === 'failed');
      announcer.resourceUpdated(`job://${job.id}`);
      announcer.resourceUpdated(`artifact://${job.id}`);
      announcer.resourcesChanged();
    }
  }
}
