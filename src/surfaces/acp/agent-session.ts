import { fileURLToPath } from 'node:url';
import {
  type AgentContext,
  type AvailableCommand,
  type ContentBlock,
  methods,
  type PermissionOption,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import {
  type Answer,
  type Asking,
  type Bash,
  type BashOptions,
  type CallOptions,
  type CallResult,
  createBash,
  type JobCallOptions,
  type MachineResult,
  ToolAbortError,
} from '../../index.ts';
import { ClientReporter, ToolCallReporter } from './client-reporter.ts';
import { clientTerminals } from './terminals.ts';

/** What a person can type beside commands for bash. */
export const ACP_SLASH_COMMANDS: AvailableCommand[] = [
  { name: 'background', description: 'Run a command as a job', input: { hint: 'command' } },
  { name: 'jobs', description: 'List the jobs of this session' },
  { name: 'peek', description: 'Show the end of what a job printed', input: { hint: 'job' } },
  { name: 'kill', description: 'End a job and everything it started', input: { hint: 'job' } },
];

/** What the line of a person asks for: a command for bash, or an answer of the job tool. */
export type PromptLine =
  | { readonly kind: 'command'; readonly command: string; readonly background: boolean }
  | { readonly kind: 'job'; readonly input: Readonly<Record<string, unknown>> };

/** A path like `/usr/bin/env` is a command; only the names above are ours. */
export function parsePromptLine(line: string): PromptLine {
  const [, name, rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  switch (name) {
    case 'background':
      return { kind: 'command', command: rest, background: true };
    case 'jobs':
      return { kind: 'job', input: { action: 'list' } };
    case 'peek':
      return { kind: 'job', input: { action: 'peek', id: rest.trim() } };
    case 'kill':
      return { kind: 'job', input: { action: 'kill', id: rest.trim(), escalate: true } };
    default:
      return { kind: 'command', command: line, background: false };
  }
}

/** The text of an answer of the job tool. */
export async function runJobCommand(bash: Bash, input: unknown, call: JobCallOptions): Promise<string> {
  const { content } = await bash.job(input, call);
  return content.map(({ text }) => text).join('\n');
}

/** What a person typed, as one text: files that they mentioned stand in it as paths. `null`: there is something else in it. */
export function toPromptText(blocks: readonly ContentBlock[]): string | null {
  const parts = blocks.map(toPromptPart);
  return parts.includes(null) ? null : parts.join('').trim();
}

function toPromptPart(block: ContentBlock): string | null {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return quoteUri(block.uri);
    case 'resource':
      return quoteUri(block.resource.uri);
    default:
      return null;
  }
}

/** A word that bash takes as it is. */
function quoteUri(uri: string): string {
  const path = uri.startsWith('file://') ? uriToPath(uri) : uri;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function uriToPath(uri: string): string {
  try {
    return fileURLToPath(uri.replace(/#.*$/, ''));
  } catch {
    return uri;
  }
}

/** Where a question is asked. */
export interface PermissionTarget {
  readonly client: AgentContext;
  readonly sessionId: string;
  /** The call it is about, as the client knows it. */
  readonly toolCallId: string;
}

/** Asks the person through the client. Whatever is no answer is no. */
export async function requestPermission(
  { command, reason, always, project }: Asking,
  { client, sessionId, toolCallId }: PermissionTarget,
  signal?: AbortSignal,
): Promise<Answer> {
  const options: PermissionOption[] = [
    { optionId: 'once', name: 'Run it', kind: 'allow_once' },
    ...(always.length === 0 ? [] : lastingOptions(always, project)),
    { optionId: 'no', name: 'Do not run it', kind: 'reject_once' },
  ];
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text: reason } }];
  const toolCall = { toolCallId, title: command, kind: 'execute' as const, content };
  const request: RequestPermissionRequest = { sessionId, toolCall, options };
  const asked = client.request(methods.client.session.requestPermission, request);
  const { outcome } = await Promise.race([asked, cancelledWhenAborted(signal)]);
  if (outcome.outcome !== 'selected') return 'no';
  // Only an option that was offered counts.
  return (options.find(({ optionId }) => optionId === outcome.optionId)?.optionId ?? 'no') as Answer;
}

/** A client that never answers must not hold up a cancelled turn. */
function cancelledWhenAborted(
  signal: AbortSignal | undefined,
): Promise<{ readonly outcome: { readonly outcome: 'cancelled' } }> {
  return new Promise((resolve) => {
    const cancel = (): void => resolve({ outcome: { outcome: 'cancelled' } });
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** The name of an option shows exactly what it stores: choosing it confirms that. */
function lastingOptions(always: Asking['always'], project: string): PermissionOption[] {
  const stored = `Always allow exactly: ${always.map(({ text }) => text).join('; ')}`;
  return [
    { optionId: 'always', name: `${stored} (in this session)`, kind: 'allow_always' },
    { optionId: 'project', name: `${stored} (in ${project})`, kind: 'allow_always' },
    { optionId: 'everywhere', name: `${stored} (everywhere)`, kind: 'allow_always' },
  ];
}

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
  readonly #reporter: ClientReporter;
  readonly #bash: Bash;
  /** A person ends what they started themselves; a limit that they set still holds. */
  readonly #limit: { readonly timeout?: 0 };
  #calls = 0;
  #turn: { readonly controller: AbortController; readonly toolCallId: string } | null = null;

  constructor({ id, client, bash, hasTerminals }: AgentSessionOptions) {
    this.#reporter = new ClientReporter(client, id);
    this.#limit = bash.timeoutMs === undefined ? { timeout: 0 } : {};
    this.#bash = createBash({
      ...bash,
      profile: 'agent',
      session: id,
      async: { ...bash.async, autoBackground: { enabled: false } },
      clientTerminals: hasTerminals ? clientTerminals(client, id) : null,
      approve: (asking, signal) =>
        requestPermission(
          asking,
          { client, sessionId: id, toolCallId: this.#turn?.toolCallId ?? '' },
          signal,
        ),
    });
  }

  /** One turn. Never rejects for what a command does. */
  async prompt({ prompt, _meta }: PromptRequest): Promise<PromptResponse> {
    if (this.#turn !== null) throw new Error('A command of this session is still running: cancel it first.');
    this.#calls += 1;
    const turn = { controller: new AbortController(), toolCallId: `call-${this.#calls}` };
    this.#turn = turn;
    try {
      await this.#answer(toPromptText(prompt), { signal: turn.controller.signal, ...toTraceOptions(_meta) });
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
    if (line === null) return this.#reporter.sendText('Only text and files can be part of a command.');
    if (line === '') return this.#reporter.sendText('Type a command; it runs in bash.');
    const asked = parsePromptLine(line);
    if (asked.kind === 'job')
      return this.#reporter.sendText(toCodeBlock(await runJobCommand(this.#bash, asked.input, call)));
    const shown = new ToolCallReporter(`call-${this.#calls}`, this.#reporter);
    await shown.start(asked.command);
    const input = asked.background
      ? { command: asked.command, async: true }
      : { command: asked.command, ...this.#limit };
    const result = await this.#run(input, { ...call, shown });
    await shown.end(result.content.map(({ text }) => text).join('\n'), result.run);
    const said = [...renderExit(result), ...result.run.notes].join('\n\n');
    if (said !== '') await this.#reporter.sendText(said);
  }

  async #run(
    input: object,
    { shown, ...call }: TurnOptions & { readonly shown: ToolCallReporter },
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
function toTraceOptions(meta: PromptRequest['_meta']): Omit<TurnOptions, 'signal'> {
  const { traceparent, tracestate } = meta ?? {};
  if (typeof traceparent !== 'string') return {};
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}

/** How it ended, in a line of its own where that is not plain. */
function renderExit({ run, error, content }: CallResult): readonly string[] {
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

function toCodeBlock(text: string): string {
  return `\`\`\`\`\n${text}\n\`\`\`\``;
}
