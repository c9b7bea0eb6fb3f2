import { type Bash, type BashOptions, type CallResult, createBash, type JobEnd } from '../../index.ts';
import { Lane } from '../serving/lane.ts';
import { TurnLane } from '../serving/turn-lane.ts';
import { OpenCall, type OpenCallOptions } from './call/open-call.ts';
import { answerWithinMs, type CallLimit } from './client-limit.ts';
import { ResourceWatch } from './resources/resource-watch.ts';

/** Whoever can tell a client of something it did not ask for at this moment. */
export interface Announcer {
  /** What its client has subscribed to by name; where it does so elsewhere there is nothing here. */
  readonly subscribed: ReadonlySet<string>;
  resourceUpdated(uri: string): void;
  resourcesChanged(): void;
  /** The end of a job: the status and the exit code are on the first line. */
  jobEnded(text: string, failed: boolean): void;
}

export interface ToolSessionOptions {
  readonly bash: BashOptions;
  readonly callLimit: CallLimit;
  /** How long a question may be answered by another program where the client cannot ask; 0: not at all. */
  readonly answeredElsewhereMs: number;
  /** Resolves when the client has taken what it was sent; without it nobody knows. */
  readonly ready?: () => Promise<void> | undefined;
}

type NewCall = Pick<OpenCallOptions, 'canAsk' | 'trace'> & { readonly input: unknown };

/** A call that was started, and its end. */
export interface StartedCall {
  readonly call: OpenCall;
  readonly finished: Promise<CallResult>;
}

interface Opened {
  readonly bash: Bash;
  readonly answerWithinMs: number | null;
  readonly watch: ResourceWatch;
}

/** How long the result of a call is kept whose client was asked something and did not come back. */
const KEEP_RESULT_MS = 600_000;
/** Between TERM and KILL when the client is gone. */
const PARTING_MS = 2_000;

/** What one client has of the tool: a session of its own, opened when it is first needed, and its calls under way. */
export class ToolSession {
  readonly jobCalls: Lane = new Lane(100, 'calls of the job tool are under way');
  readonly reads: TurnLane;
  readonly announcers: Set<Announcer> = new Set();
  readonly #options: ToolSessionOptions;
  readonly #underWay = new Lane(100, 'calls are under way');
  readonly #calls = new Map<string, StartedCall>();
  /** What is to be told with the next result. */
  #news: string[] = [];
  #opened: Opened | undefined;
  #closed = false;

  constructor(options: ToolSessionOptions) {
    this.#options = options;
    this.reads = new TurnLane(new Lane(100, 'resources wait to be read'), options.ready ?? (() => undefined));
  }

  /** The first to ask decides whose limit counts: a session has one client. */
  open(clientName: string): Bash {
    this.#opened ??= this.#create(clientName);
    return this.#opened.bash;
  }

  /** How long a request may take before its client gives up; `null`: as long as it likes. */
  get answerWithinMs(): number | null {
    return this.#opened?.answerWithinMs ?? null;
  }

  /** @throws {NacreError} `too_many` */
  start(bash: Bash, { input, ...how }: NewCall): StartedCall {
    const leave = this.#underWay.enter();
    const { answeredElsewhereMs } = this.#options;
    const call = new OpenCall({ ...how, answeredElsewhereMs });
    const started = { call, finished: call.run(bash, input) };
    this.#calls.set(call.id, started);
    const finish = (): void => {
      leave();
      setTimeout(() => this.forget(call.id), KEEP_RESULT_MS).unref();
    };
    started.finished.then(finish, finish);
    return started;
  }

  /** A call that asked something; `undefined` when it is long over. */
  find(id: string): StartedCall | undefined {
    return this.#calls.get(id);
  }

  /** Its result has been given. */
  forget(id: string): void {
    this.#calls.delete(id);
  }

  jobStarted(): void {
    for (const announcer of this.announcers) announcer.resourcesChanged();
    this.watch();
  }

  /** Something was started, or subscribed to: from now on changes are told. */
  watch(): void {
    if (this.announcers.size > 0) this.#opened?.watch.wake();
  }

  /** Each piece of news once. */
  takeNews(): readonly string[] {
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
    }, PARTING_MS);
    this.#opened?.watch.close();
    await this.#opened?.bash.close({ killSignal });
    clearTimeout(timer);
  }

  #create(clientName: string): Opened {
    const { bash: options, callLimit } = this.#options;
    const within = answerWithinMs(callLimit, clientName);
    const { autoBackground } = options.async ?? {};
    // The description says how long a call waits; so it must be what really happens.
    const afterMs = Math.min(autoBackground?.afterMs ?? 60_000, within ?? Number.POSITIVE_INFINITY);
    const bash = createBash({
      ...options,
      async: { ...options.async, autoBackground: { ...autoBackground, afterMs } },
      onJobEnd: (end) => this.#tell(end),
    });
    const watch = new ResourceWatch({
      bash,
      subscribed: () => [...this.announcers].flatMap(({ subscribed }) => [...subscribed]),
      onChange: (uri) => {
        for (const announcer of this.announcers) announcer.resourceUpdated(uri);
      },
    });
    return { bash, answerWithinMs: within, watch };
  }

  #tell({ job, text }: JobEnd): void {
    if (this.#closed) throw new Error('The client is gone; whoever comes next is to be told.');
    this.#news.push(text.split('\n', 1)[0] ?? '');
    for (const announcer of this.announcers) {
      announcer.jobEnded(text, job.state === 'failed');
      announcer.resourceUpdated(`job://${job.id}`);
      announcer.resourceUpdated(`artifact://${job.id}`);
      announcer.resourcesChanged();
    }
  }
}
