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

/** The slash commands that an ACP session offers besides shell commands. */
export const ACP_SLASH_COMMANDS: AvailableCommand[] = [
  { name: 'background', description: 'Run a command as a job', input: { hint: 'command' } },
  { name: 'jobs', description: 'List the jobs of this session' },
  { name: 'peek', description: 'Show the end of the output of a job', input: { hint: 'job' } },
  { name: 'kill', description: 'Stop a job and all its processes', input: { hint: 'job' } },
];

/** A parsed prompt line: a command for bash, or a call of the job tool. */
export type PromptLine =
  | { readonly kind: 'command'; readonly command: string; readonly background: boolean }
  | { readonly kind: 'job'; readonly input: Readonly<Record<string, unknown>> };

/**
 * Parses a prompt line. Only the names above are slash commands, so a path such as `/usr/bin/env` is a shell
 * command.
 */
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

/** Calls the job tool and returns its text. */
export async function runJobCommand(bash: Bash, input: unknown, call: JobCallOptions): Promise<string> {
  const { content } = await bash.job(input, call);
  return content.map(({ text }) => text).join('\n');
}

/**
 * The prompt as one text, in which mentioned files appear as quoted paths; `null` when a block is neither text
 * nor a file.
 */
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

/** The call and the session that a permission request belongs to. */
export interface PermissionTarget {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** Asks for approval through the client. A missing or invalid answer counts as `no`. */
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
  // Only an offered option is accepted.
  return (options.find(({ optionId }) => optionId === outcome.optionId)?.optionId ?? 'no') as Answer;
}

/** A client that never answers must not delay a cancelled turn. */
function cancelledWhenAborted(
  signal: AbortSignal | undefined,
): Promise<{ readonly outcome: { readonly outcome: 'cancelled' } }> {
  return new Promise((resolve) => {
    const cancel = (): void => resolve({ outcome: { outcome: 'cancelled' } });
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** The name of each option shows exactly the rule that it stores. */
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
  /** Whether the client offers terminals; otherwise commands run in this process. */
  readonly hasTerminals: boolean;
}

type TurnOptions = Pick<CallOptions, 'traceparent' | 'tracestate'> & { readonly signal: AbortSignal };

/** One ACP session: runs each prompt line in bash. */
export class AgentSession {
  readonly #reporter: ClientReporter;
  readonly #bash: Bash;
  /** Commands typed by a person have no default time limit; a configured limit still applies. */
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

  /** Handles one turn. Never rejects because of a command's result. */
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
    if (line === null) return this.#reporter.sendText('A command can contain only text and files.');
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

/** The client's span that a turn belongs to, from the `_meta` fields that ACP reserves for it. */
function toTraceOptions(meta: PromptRequest['_meta']): Omit<TurnOptions, 'signal'> {
  const { traceparent, tracestate } = meta ?? {};
  if (typeof traceparent !== 'string') return {};
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}

/** The exit status as text; empty for exit code 0. */
function renderExit({ run, error, content }: CallResult): readonly string[] {
  if (error !== undefined) return [error.message];
  if (run.status === 'running') return content.map(({ text }) => text);
  const told: Partial<Record<MachineResult['status'], string>> = {
    signaled: `Killed by ${run.signal}.`,
    timed_out: 'Stopped at the time limit.',
    aborted: 'Cancelled.',
    lost: 'The exit status is unknown.',
  };
  if (run.status === 'exited') return run.exitCode === 0 ? [] : [`Exit code ${run.exitCode}.`];
  return [told[run.status] ?? run.status];
}

function toCodeBlock(text: string): string {
  return `\`\`\`\`\n${text}\n\`\`\`\``;
}
