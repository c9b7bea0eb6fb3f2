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

/**
 * Aborted when nobody waits for this request any more: it was cancelled, or its connection is gone, over which alone the
 * answer could be given.
 */
export function requestAbortSignal({ mcpReq, http }: ServerContext): AbortSignal {
  return http?.req === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, http.req.signal]);
}

/** The end of the output that a client is shown while it waits: a few lines, not the whole view. */
const PROGRESS_BYTES = 4 * 1024;
/** A sign of life for clients that count the time since the last one. */
const HEARTBEAT_MS = 10_000;

/** Tells a client that asked for it how its call is doing. While it does not read, older news is dropped. */
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
      // It must rise from one to the next, however close they are.
      this.#last = Math.max(this.#last + 1, Math.round(performance.now() - this.#startedAt));
      const params = { progressToken: this.#token, progress: this.#last, message };
      // A client that is gone ends the call by itself.
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

/** The question as a form that the client shows to its person. */
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

/** Whatever is not clearly a yes is no. */
export function readApprovalAnswer(responses: Record<string, unknown> | undefined): Answer {
  const answer = acceptedContent(responses, ELICITATION_KEY)?.answer;
  if (answer === 'once') return answer;
  return LASTING.find((lasting) => lasting === answer) ?? 'no';
}

/** Shows exactly what a lasting answer stores: the form that is accepted with one confirms that. */
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

/** A request for the bash tool. */
export interface BashToolRequest {
  readonly input: unknown;
  readonly bash: Bash;
  /** Whether its client can put a question to a person. */
  readonly canAsk: boolean;
  /** Whether an answer to a question comes with a request of its own. */
  readonly asksWithResult: boolean;
}

/** A call of the bash tool, or one more request of a call that asked something. */
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
    // A request that is answered by a question is over, and what becomes of its connection says nothing any more.
    if (request.asksWithResult) letGo();
    return toElicitation(next, call.id);
  } finally {
    clearTimeout(timer);
    progress.end();
  }
}

/** A call, or why there is none: too many are under way. */
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

/** Nobody waits for a call that was cancelled, so what it gives back matters little. */
async function settleCall({ finished }: StartedCall): Promise<CallResult> {
  try {
    return await finished;
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result;
    throw error;
  }
}

const ANSWER_TOO_LATE = 'The answer came too late, so the command was not run. Call the tool again.';

/** A call of the job tool. A wait ends before the client gives up; the job goes on either way. */
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
