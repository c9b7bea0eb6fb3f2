import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { bashServer } from 'nacre/claude-agent-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeAnthropic } from '../helpers/fake-anthropic.ts';
import { openBash } from '../helpers/open-bash.ts';

const LONG = { command: 'echo ready; sleep 1000' };

/** One question to Claude Code with our tools in this process and a model on loopback. */
async function ask(input: unknown) {
  const abortController = new AbortController();
  const { bash, directory } = openBash();
  const home = mkdtempSync(join(tmpdir(), 'nacre-claude-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const { url, requests, results } = await fakeAnthropic((name) => name === 'mcp__nacre__bash', input);
  const conversation = query({
    prompt: 'go',
    options: {
      cwd: directory,
      mcpServers: { nacre: bashServer(bash) },
      allowedTools: ['mcp__nacre__bash', 'mcp__nacre__job'],
      settingSources: [],
      abortController,
      env: {
        ...{ PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-none' },
        ...{ ENABLE_TOOL_SEARCH: 'false', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
        ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' },
      },
    },
  });
  const said: string[] = [];
  if (input === LONG)
    void vi
      .waitUntil(() => bash.log.read().length > 0, { timeout: 60_000 })
      .then(() => abortController.abort());
  try {
    for await (const message of conversation) if (message.type === 'result') said.push(message.subtype);
  } catch {
    said.push('aborted');
  }
  const names = requests.flatMap(({ tools = [] }) => tools.map(({ name }) => name));
  return { bash, said, results: results(), names };
}

test('Claude Code calls the tool and shows the model its text', async () => {
  const { said, results, names } = await ask({ command: 'echo from $((40 + 2))', cwd: null });
  expect(said).toEqual(['success']);
  expect(names).toContain('mcp__nacre__job');
  expect(JSON.stringify(results[0]?.content)).toContain('from 42');
  expect(results[0]?.is_error ?? false).toBe(false);
}, 120_000);

test('a failure is marked as one', async () => {
  const { results } = await ask({ command: 'echo no; exit 3' });
  expect(JSON.stringify(results[0]?.content)).toContain('Command exited with code 3');
  expect(results[0]?.is_error).toBe(true);
}, 120_000);

test('an abort ends the command', async () => {
  const { bash, said } = await ask(LONG);
  expect(said.at(-1)).toBe('aborted');
  await expect.poll(() => bash.log.read().at(-1), { timeout: 20_000 }).toMatchObject({ status: 'aborted' });
}, 120_000);
