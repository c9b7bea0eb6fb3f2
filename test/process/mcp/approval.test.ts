import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openApprovals } from '../../../src/index.ts';
import { connectMcp, ERAS, type Era, type McpPeer } from '../../helpers/mcp-client.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const peers: McpPeer[] = [];
const RULES = '[{"action":"ask","prefix":["touch"]}]';

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

interface Asking {
  readonly era: Era;
  /** `null`: this client cannot ask. */
  readonly answer: (() => Promise<Answer>) | null;
  readonly env?: Readonly<Record<string, string>>;
}

async function connect({ era, answer, env = {} }: Asking) {
  const root = temporaryDirectory();
  const asked: { message: string; requestedSchema?: unknown }[] = [];
  const peer = await connectMcp({
    ...{ root, era, env: { NACRE_POLICY_APPROVALS_RULES: RULES, ...env } },
    client: { capabilities: answer === null ? {} : { elicitation: {} } },
    prepare: (client) => {
      if (answer === null) return;
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params);
        return answer();
      });
    },
  });
  peers.push(peer);
  const call = async (command: string) => {
    const result = await peer.client.callTool({ name: 'bash', arguments: { command } });
    return result as {
      isError: boolean;
      content: { text: string }[];
      structuredContent: Record<string, unknown>;
    };
  };
  return { root, asked, call, ran: () => existsSync(join(root, 'made')) };
}

afterEach(async () => {
  for (const { client } of peers.splice(0)) await client.close();
});

/** Another program of the same person. */
function answerElsewhere(root: string): () => void {
  const approvals = openApprovals({ stateDirectory: join(root, 'state/nacre') });
  return approvals.watch(({ kind, question }) => {
    if (kind !== 'asked') return;
    try {
      approvals.answer(question.id, 'once');
    } catch {
      // It was told of twice, and has been answered.
    }
  });
}

const say = (answer: string) => async (): Promise<Answer> => ({ action: 'accept', content: { answer } });

describe.each(ERAS)('approval by elicitation, revision $era', ({ era }) => {
  test('once: the person sees the command, and it runs', async () => {
    const { call, asked, ran } = await connect({ era, answer: say('once') });
    expect((await call('touch made')).isError).toBe(false);
    expect(asked[0]?.message).toContain('touch made');
    expect(asked[0]?.requestedSchema).toMatchObject({ required: ['answer'] });
    expect(ran()).toBe(true);
    await call('touch made');
    expect(asked).toHaveLength(2);
  });

  test.each(['always', 'project', 'everywhere'])(
    '%s: exactly these words are not asked again',
    async (answer) => {
      const { call, asked } = await connect({ era, answer: say(answer) });
      await call('touch made');
      expect(asked[0]?.message).toContain('always, project and everywhere store: allow exactly touch made');
      expect((await call('touch made')).isError).toBe(false);
      expect(asked).toHaveLength(1);
      await call('touch made too');
      expect(asked).toHaveLength(2);
    },
  );

  test.each<[string, () => Promise<Answer>]>([
    ['no', say('no')],
    ['something else', say('sure')],
    ['a form that is declined', async () => ({ action: 'decline' })],
    ['a form that is cancelled', async () => ({ action: 'cancel' })],
  ])('%s: it does not run, and the model is told why', async (_, answer) => {
    const { call, ran } = await connect({ era, answer });
    const { isError, content, structuredContent } = await call('touch made');
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('It was not approved, so it was not run.');
    expect(structuredContent).toMatchObject({ status: 'refused', error: { id: 'blocked_by_policy' } });
    expect(ran()).toBe(false);
  });

  test('a client that cannot ask gets a clear refusal', async () => {
    const { call, ran } = await connect({ era, answer: null });
    const { isError, content } = await call('touch made');
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('This MCP client does not support elicitation');
    expect(ran()).toBe(false);
  });

  test('where it is allowed, another program answers for it', async () => {
    const env = { NACRE_MCP_ANSWERED_ELSEWHERE_MS: '60000' };
    const { call, root, ran } = await connect({ era, answer: null, env });
    const unwatch = answerElsewhere(root);
    expect((await call('touch made')).isError).toBe(false);
    unwatch();
    expect(ran()).toBe(true);
  });

  test('a question that somebody else answers first is settled, whatever the client says later', async () => {
    let late = (_: Answer): void => undefined;
    const answer = () =>
      new Promise<Answer>((resolve) => {
        late = resolve;
      });
    const { call, root, ran, asked } = await connect({ era, answer });
    const unwatch = answerElsewhere(root);
    const result = call('touch made');
    await expect.poll(() => [asked.length, ran()], { timeout: 20_000 }).toEqual([1, true]);
    unwatch();
    late({ action: 'decline' });
    expect((await result).isError).toBe(false);
  });
});
