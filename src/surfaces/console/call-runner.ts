import { type Bash, type CallOptions, type CallResult, type JobInfo, ToolAbortError } from '../../index.ts';
import type { CallCard } from './views/call-card.ts';
import type { Transcript } from './views/transcript.ts';

export interface CallRunnerOptions {
  /** The tool as a model has it. */
  readonly bash: Bash;
  /** The same for what the person runs with `!`: nothing is refused, rewritten or withheld. */
  readonly person: Bash;
  readonly transcript: Transcript;
  readonly refresh: () => void;
}

/** One call to be made. */
export interface ConsoleCall {
  readonly by: CallCard['by'];
  readonly isPrivate: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  /** How it is shown while it runs; a terminal of its own, for one. */
  readonly options?: CallOptions;
}

/** The calls that are under way, and what becomes of their cards. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #running = new Map<number, AbortController>();

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }

  /** The newest call that runs; `null` when none does. */
  get newestRunning(): number | null {
    return [...this.#running.keys()].at(-1) ?? null;
  }

  stop(id: number): void {
    this.#running.get(id)?.abort();
  }

  stopAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  /** A call that went on as a job is over. Resolves to whether there is one that shows it. */
  async onJobEnd({ id: jobId, status, exitCode, signal, endedAt }: JobInfo): Promise<boolean> {
    const { transcript, bash, refresh } = this.#options;
    const id = transcript.ids.find((each) => {
      const card = transcript.get(each);
      return card?.kind === 'call' && card.result?.run.job?.id === jobId;
    });
    if (id === undefined) return false;
    transcript.change<CallCard>(id, { ending: { status, exitCode, signal }, endedAt });
    refresh();
    const { text } = await bash.jobs.peek(jobId);
    transcript.change<CallCard>(id, { output: text || NO_OUTPUT });
    refresh();
    return true;
  }

  /** Resolves when it is over, however it went. */
  async run({ by, isPrivate, input, options = {} }: ConsoleCall): Promise<number> {
    const { transcript, refresh } = this.#options;
    const command = typeof input.command === 'string' ? input.command : JSON.stringify(input);
    const id = transcript.add({
      ...{ kind: 'call', by, isPrivate, command, startedAt: Date.now(), endedAt: null, state: 'running' },
      ...{ output: '', result: null, ending: null, problem: null, isExpanded: false, canStop: true },
    });
    const controller = new AbortController();
    this.#running.set(id, controller);
    refresh();
    const change = (changes: Partial<CallCard>): void => {
      transcript.change<CallCard>(id, changes);
      refresh();
    };
    const tool = by === 'tool' ? this.#options.bash : this.#options.person;
    try {
      const result = await tool.call(input, {
        ...options,
        signal: controller.signal,
        // What comes when it has gone on as a job is told in another way.
        onUpdate: ({ content }) => this.#running.has(id) && change({ output: content[0]?.text ?? '' }),
      });
      change(toFinishedChanges(result));
    } catch (error) {
      change(toFailedChanges(error));
    } finally {
      this.#running.delete(id);
      refresh();
    }
    return id;
  }
}

const NO_OUTPUT = '(no output)';

function toFinishedChanges(result: CallResult): Partial<CallCard> {
  const problem = result.error?.message ?? null;
  const { text } = result.run.output;
  return {
    endedAt: Date.now(),
    state: problem === null ? 'ended' : 'failed',
    output: problem === null ? text || (result.run.status === 'running' ? '' : NO_OUTPUT) : '',
    problem,
    result,
  };
}

function toFailedChanges(error: unknown): Partial<CallCard> {
  const endedAt = Date.now();
  if (error instanceof ToolAbortError)
    return { endedAt, state: 'cancelled', output: error.result.run.output.text, result: error.result };
  return { endedAt, state: 'failed', problem: error instanceof Error ? error.message : String(error) };
}
