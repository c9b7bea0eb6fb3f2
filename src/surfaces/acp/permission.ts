import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { Answer, Asking } from '../../index.ts';

/** Where a question is asked. */
export interface PermissionPlace {
  readonly client: AgentContext;
  readonly sessionId: string;
  /** The call it is about, as the client knows it. */
  readonly toolCallId: string;
}

/** Asks the person through the client. Whatever is no answer is no. */
export async function askPermission(
  { command, reason, always, project }: Asking,
  { client, sessionId, toolCallId }: PermissionPlace,
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
  const { outcome } = await Promise.race([asked, whenAborted(signal)]);
  if (outcome.outcome !== 'selected') return 'no';
  // Only an option that was offered counts.
  return (options.find(({ optionId }) => optionId === outcome.optionId)?.optionId ?? 'no') as Answer;
}

/** A client that never answers must not hold up a cancelled turn. */
function whenAborted(
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
