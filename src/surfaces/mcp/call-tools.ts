import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  type Answer,
  type Bash,
  type CallResult,
  NacreError,
  type OpenQuestion,
  ToolAbortError,
} from '../../index.ts';
import { readTraceContext } from './multi-request-call.ts';
import { toBashRefusal, toBashResult, toJobRefusal, toJobToolResult } from './to-tool-result.ts';
import type { StartedCall, ToolSession } from './tool-session.ts';

/** Aborted when the request is cancelled or the connection that would carry its response is closed. */
export function requestAbortSignal({ mcpReq, http }: ServerContext): AbortSignal {
  return http?.req === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, http.req.signal]);
}

/** Limit of the output tail in a progress message. */
const PROGRESS_BYTES = 4 * 1024;
/** Progress interval for clients whose timeout restarts with each progress message. */
const HEARTBEAT_MS = 10_000;

/**
 * Sends progress to a client that asked for it. While the client does not read, only the latest message is
 * kept.
 */
export class ProgressReporter {
  readonly #ctx: ServerContext;
  readonly #token: string | number | undefined;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #isSending = false;
  #next: string | null = null;

  constructor(ctx: ServerContext) {
    this.#ctx = ctx;
    this.#token = ctx.mcpReq._meta?.progressToken;
    if (this.#token === undefined) return;
    this.#timer = setInterval(() => this.report(this.#elapsed()), HEARTBEAT_MS);
    this.#timer.unref();
  }

  report(text: string): void {
    if (this.#token === undefined) return;
    this.#next = lastLines(text);
    if (!this.#isSending) void this.#send();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#next = null;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#next !== null) {
      const message = this.#next;
      this.#next = null;
      // The protocol requires that progress increases with each message.
      this.#last = Math.max(this.#last + 1, Math.round(performance.now() - this.#startedAt));
      const params = { progressToken: this.#token, progress: this.#last, message };
      // A disconnected client aborts the call through the request's signal.
      await this.#ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    }
    this.#isSending = false;
  }

  #elapsed(): string {
    return `running for ${Math.round((performance.now() - this.#startedAt) / 1_000)} s`;
  }
}

function lastLines(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= PROGRESS_BYTES) return text;
  const end = bytes.subarray(-PROGRESS_BYTES);
  return end.subarray(end.indexOf(10) + 1).toString('utf8');
}

const ELICITATION_KEY = 'approve';
const LASTING = ['always', 'project', 'everywhere'] as const;

/** Converts an approval question to a form that the client shows to the user. */
export function toElicitation(question: OpenQuestion, callId: string): InputRequiredResult {
  const answers = question.always.length === 0 ? ['once', 'no'] : ['once', ...LASTING, 'no'];
  return inputRequired({
    requestState: callId,
    inputRequests: {
      [ELICITATION_KEY]: inputRequired.elicit({
        message: renderElicitation(question),
        requestedSchema: {
          type: 'object',
          required: ['answer'],
          properties: {
            answer: {
              type: 'string',
              title: 'Run it?',
              description: renderAnswers(question),
              enum: answers,
            },
          },
        },
      }),
    },
  });
}

/** The user's answer; anything but a clear approval is `no`. */
export function readApprovalAnswer(responses: Record<string, unknown> | undefined): Answer {
  const answer = acceptedContent(responses, ELICITATION_KEY)?.answer;
  if (answer === 'once') return answer;
  return LASTING.find((lasting) => lasting === answer) ?? 'no';
}

/** Shows exactly the rules that a lasting answer stores, so accepting the form confirms them. */
function renderElicitation({ command, cwd, reason, parts, always }: OpenQuestion): string {
  const asked =
    parts.length === 0 || parts.join() === command ? '' : `\n\nNot allowed yet: ${parts.join('; ')}`;
  const stored = always.map(({ text }) => text).join('; ');
  const lasting = stored === '' ? '' : `\n\nalways, project and everywhere store: allow exactly ${stored}`;
  return `May this command run in ${cwd}?\n\n${command}${asked}\n\n${reason}${lasting}`;
}

function renderAnswers({ always, project }: OpenQuestion): string {
  const lasting =
    always.length === 0
      ? ''
      : `always: also later in this session; project: also later in ${project}; everywhere: also later everywhere; `;
  return `once: run it; ${lasting}no: do not`;
}

/** A `tools/call` request for the bash tool. */
export interface BashToolRequest {
  readonly input: unknown;
  readonly bash: Bash;
  /** Whether the client supports elicitation. */
  readonly canAsk: boolean;
  /** Whether a question is the result of a request and its answer comes with the next one. */
  readonly asksWithResult: boolean;
}

/** Starts a call of the bash tool, or continues a call that is waiting for an answer. */
export async function callBashTool(
  request: BashToolRequest,
  ctx: ServerContext,
  session: ToolSession,
): Promise<CallToolResult | InputRequiredResult> {
  const state = ctx.mcpReq.requestState<string>();
  const started = state === undefined ? startCall(request, ctx, session) : session.findCall(state);
  if (started === undefined) return toBashRefusal('blocked_by_policy', ANSWER_TOO_LATE);
  if (started instanceof NacreError) return toBashRefusal(started.code, started.message);
  const { call } = started;
  const progress = new ProgressReporter(ctx);
  const letGo = call.follow({ signal: requestAbortSignal(ctx), onUpdate: (text) => progress.report(text) });
  const within = session.answerWithinMs;
  const timer = within === null ? undefined : setTimeout(() => call.yield(), within);
  if (state !== undefined) call.answer(readApprovalAnswer(ctx.mcpReq.inputResponses));
  try {
    const next = await Promise.race([settleCall(started), call.question()]);
    if ('run' in next) {
      letGo();
      session.forgetCall(call.id);
      if (next.run.job !== undefined) session.jobStarted();
      return toBashResult(next, session.takeJobEndNotes());
    }
    // The question completes this request, so closing its connection must not stop the command.
    if (request.asksWithResult) letGo();
    return toElicitation(next, call.id);
  } finally {
    clearTimeout(timer);
    progress.end();
  }
}

/** The started call, or the error when too many calls are under way. */
function startCall(
  { input, bash, canAsk }: BashToolRequest,
  ctx: ServerContext,
  session: ToolSession,
): StartedCall | NacreError {
  try {
    return session.startCall(bash, { input, canAsk, trace: readTraceContext(ctx) });
  } catch (error) {
    if (error instanceof NacreError) return error;
    throw error;
  }
}

/** An aborted call resolves with its partial result. */
async function settleCall({ finished }: StartedCall): Promise<CallResult> {
  try {
    return await finished;
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result;
    throw error;
  }
}

const ANSWER_TOO_LATE = 'The answer came too late, so the command was not run. Call the tool again.';

/** Calls the job tool. A wait returns before the client's timeout; the job keeps running. */
export async function callJobTool(
  { input, bash }: { readonly input: unknown; readonly bash: Bash },
  ctx: ServerContext,
  session: ToolSession,
): Promise<CallToolResult> {
  const within = session.answerWithinMs;
  const ended = new AbortController();
  const timer = within === null ? undefined : setTimeout(() => ended.abort(), within);
  try {
    const signal = AbortSignal.any([requestAbortSignal(ctx), ended.signal]);
    const result = await session.jobCalls.run(() => bash.job(input, { signal, ...readTraceContext(ctx) }));
    return toJobToolResult(result, session.takeJobEndNotes());
  } catch (error) {
    if (error instanceof NacreError && error.code === 'too_many') return toJobRefusal(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
