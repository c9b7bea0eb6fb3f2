import type { AgentContext, PromptRequest, PromptResponse } from '@agentclientprotocol/sdk';
import type { Bash, BashOptions, CallOptions, CallResult, MachineResult } from '../../index.ts';
import { createBash, ToolAbortError } from '../../index.ts';
import { askPermission } from './permission.ts';
import { promptText } from './prompt-text.ts';
import { Reporter, ShownCall } from './reporter.ts';
import { answerJob, readLine } from './slash-command.ts';
import { clientTerminals } from './terminals.ts';

export interface AgentSessionOptions {
  readonly id: string;
  readonly client: AgentContext;
  readonly bash: BashOptions;
  /** Whether the client has terminals; else commands run here. */
  readonly hasTerminals: boolean;
}

type TurnOptions = Pick<CallOptions, 'traceparent' | 'tracestate'> & { readonly signal: AbortSignal };

/** What a person does in one conversation: one line after the other goes to bash. */
export class AgentSession {
  readonly #reporter: Reporter;
  readonly #bash: Bash;
  /** A person ends what they started themselves; a limit that they set still holds. */
  readonly #limit: { readonly timeout?: 0 };
  #calls = 0;
  #turn: { readonly controller: AbortController; readonly toolCallId: string } | null = null;

  constructor({ id, client, bash, hasTerminals }: AgentSessionOptions) {
    this.#reporter = new Reporter(client, id);
    this.#limit = bash.timeoutMs === undefined ? { timeout: 0 } : {};
    this.#bash = createBash({
      ...bash,
      profile: 'agent',
      session: id,
      async: { ...bash.async, autoBackground: { enabled: false } },
      clientTerminals: hasTerminals ? clientTerminals(client, id) : null,
      approve: (asking, signal) =>
        askPermission(asking, { client, sessionId: id, toolCallId: this.#turn?.toolCallId ?? '' }, signal),
    });
  }

  /** One turn. Never rejects for what a command does. */
  async prompt({ prompt, _meta }: PromptRequest): Promise<PromptResponse> {
    if (this.#turn !== null) throw new Error('A command of this session is still running: cancel it first.');
    this.#calls += 1;
    const turn = { controller: new AbortController(), toolCallId: `call-${this.#calls}` };
    this.#turn = turn;
    try {
      await this.#answer(promptText(prompt), { signal: turn.controller.signal, ...traceOf(_meta) });
      return { stopReason: turn.controller.signal.aborted ? 'cancelled' : 'end_turn' };
    } finally {
      this.#turn = null;
    }
  }

  cancel(): void {
    this.#turn?.controller.abort();
  }

  async close(killSignal?: AbortSignal): Promise<void> {
    this.cancel();
    await this.#bash.close({ killSignal });
  }

  async #answer(line: string | null, call: TurnOptions): Promise<void> {
    if (line === null) return this.#reporter.say('Only text and files can be part of a command.');
    if (line === '') return this.#reporter.say('Type a command; it runs in bash.');
    const asked = readLine(line);
    if (asked.kind === 'job')
      return this.#reporter.say(toBlock(await answerJob(this.#bash, asked.input, call)));
    const shown = new ShownCall(`call-${this.#calls}`, this.#reporter);
    await shown.announce(asked.command);
    const input = asked.background
      ? { command: asked.command, async: true }
      : { command: asked.command, ...this.#limit };
    const result = await this.#run(input, { ...call, shown });
    await shown.end(result.content.map(({ text }) => text).join('\n'), result.run);
    const said = [...endOf(result), ...result.run.notes].join('\n\n');
    if (said !== '') await this.#reporter.say(said);
  }

  async #run(
    input: object,
    { shown, ...call }: TurnOptions & { readonly shown: ShownCall },
  ): Promise<CallResult> {
    try {
      return await this.#bash.call(input, { ...call, onUpdate: (update) => shown.update(update) });
    } catch (error) {
      if (error instanceof ToolAbortError) return error.result;
      throw error;
    }
  }
}

/** The client's span that a turn belongs to: the protocol keeps these names for it. */
function traceOf(meta: PromptRequest['_meta']): Omit<TurnOptions, 'signal'> {
  const { traceparent, tracestate } = meta ?? {};
  if (typeof traceparent !== 'string') return {};
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}

/** How it ended, in a line of its own where that is not plain. */
function endOf({ run, error, content }: CallResult): readonly string[] {
  if (error !== undefined) return [error.message];
  if (run.status === 'running') return content.map(({ text }) => text);
  const told: Partial<Record<MachineResult['status'], string>> = {
    signaled: `Ended by ${run.signal}.`,
    timed_out: 'Ended at its time limit.',
    aborted: 'Cancelled.',
    lost: 'Nobody knows how it ended.',
  };
  if (run.status === 'exited') return run.exitCode === 0 ? [] : [`Exit code ${run.exitCode}.`];
  return [told[run.status] ?? run.status];
}

function toBlock(text: string): string {
  return `\`\`\`\`\n${text}\n\`\`\`\``;
}
