import type { AgentContext, SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { CallUpdate, MachineResult } from '../../index.ts';

/** Sends session updates to the client. Errors are ignored because a disconnected client needs no updates. */
export class ClientReporter {
  readonly #client: AgentContext;
  readonly #sessionId: string;

  constructor(client: AgentContext, sessionId: string) {
    this.#client = client;
    this.#sessionId = sessionId;
  }

  sendText(text: string): Promise<void> {
    return this.sendUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  async sendUpdate(update: SessionUpdate): Promise<void> {
    await this.#client
      .notify('session/update', { sessionId: this.#sessionId, update })
      .catch(() => undefined);
  }
}

/** Reports one command to the client as a tool call with its terminal or the end of its output. */
export class ToolCallReporter {
  readonly id: string;
  readonly #reporter: ClientReporter;
  #terminalId: string | null = null;

  constructor(id: string, reporter: ClientReporter) {
    this.id = id;
    this.#reporter = reporter;
  }

  /** Sent before approval is requested, because the permission request refers to the tool call. */
  start(command: string): Promise<void> {
    return this.#reporter.sendUpdate({
      sessionUpdate: 'tool_call',
      toolCallId: this.id,
      title: command,
      kind: 'execute',
      status: 'in_progress',
      rawInput: { command },
    });
  }

  update({ content, details }: CallUpdate): void {
    if (this.#terminalId !== null) return;
    if (typeof details.terminalId === 'string') this.#terminalId = details.terminalId;
    void this.#send('in_progress', this.#content(content.map(({ text }) => text).join('\n')));
  }

  /** The client keeps showing a released terminal. */
  end(text: string, run: MachineResult): Promise<void> {
    const failed = run.status !== 'running' && run.exitCode !== 0;
    return this.#send(failed ? 'failed' : 'completed', this.#content(text), run);
  }

  #content(text: string): ToolCallContent[] {
    if (this.#terminalId !== null) return [{ type: 'terminal', terminalId: this.#terminalId }];
    return [{ type: 'content', content: { type: 'text', text: `\`\`\`\`\n${text}\n\`\`\`\`` } }];
  }

  #send(status: ToolCallStatus, content: ToolCallContent[], run?: MachineResult): Promise<void> {
    return this.#reporter.sendUpdate({
      sessionUpdate: 'tool_call_update',
      toolCallId: this.id,
      status,
      content,
      ...(run && { rawOutput: run }),
    });
  }
}
