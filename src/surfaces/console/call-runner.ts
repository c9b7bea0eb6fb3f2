import { type Bash, type CallOptions, type CallResult, type JobInfo, ToolAbortError } from '../../index.ts';
import type { CallCard } from './views/call-card.ts';
import type { Transcript } from './views/transcript.ts';

export interface CallRunnerOptions {
  /** The tool with the options for a model. */
  readonly bash: Bash;
  /** The tool for `!` commands, without policy, rewriting or masking. */
  readonly person: Bash;
  readonly transcript: Transcript;
  readonly refresh: () => void;
}

/** A call to run. */
export interface ConsoleCall {
  readonly by: CallCard['by'];
  readonly isPrivate: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  /** Additional call options, such as a terminal. */
  readonly options?: CallOptions;
}

/** Runs calls and updates their cards. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #running = new Map<number, AbortController>();

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }

  /** The card of the newest running call; `null` when none runs. */
  get newestRunning(): number | null {
    return [...this.#running.keys()].at(-1) ?? null;
  }

  stop(id: number): void {
    this.#running.get(id)?.abort();
  }

  stopAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  /** Updates the card of a call whose job has ended; resolves with whether such a card exists. */
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

  /** Resolves when the call has ended, successfully or not. */
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
        // Updates that arrive after the call became a job are ignored.
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
