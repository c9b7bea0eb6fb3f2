/** Nothing here runs: it compiles only if what the adapters give fits the types of the frameworks. */
import { createSdkMcpServer, query } from '@anthropic-ai/claude-agent-sdk';
import type Anthropic from '@anthropic-ai/sdk';
import { Agent as PiAgent } from '@mariozechner/pi-agent-core';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { type Bash, createBash } from 'nacre';
import { bashTools as aiTools } from 'nacre/ai-sdk';
import { answer as answerBlock, bashTools as anthropicTools, bashTool } from 'nacre/anthropic';
import { bashServer } from 'nacre/claude-agent-sdk';
import { answer as answerItem } from 'nacre/openai';
import { bashTools as piTools } from 'nacre/pi';
import type OpenAI from 'openai';

const bash: Bash = createBash();

export const versions = () => [
  ai5.generateText({ model: {} as ai5.LanguageModel, tools: aiTools(bash), prompt: '' }),
  ai6.generateText({ model: {} as ai6.LanguageModel, tools: aiTools(bash), prompt: '' }),
  ai7.generateText({ model: {} as ai7.LanguageModel, tools: aiTools(bash), prompt: '' }),
  ai6.streamText({ model: {} as ai6.LanguageModel, tools: { ...aiTools(bash) }, prompt: '' }),
];

export const anthropic = async (client: Anthropic, block: Anthropic.ToolUseBlock) => {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: [await answerBlock(bash, block)] }];
  await client.messages.create({ model: '', max_tokens: 1, messages, tools: anthropicTools(bash) });
  await client.beta.messages.toolRunner({ model: '', max_tokens: 1, messages: [], tools: [bashTool(bash)] });
};

export const openai = async (client: OpenAI, item: OpenAI.Responses.ResponseOutputItem) => {
  const output = await answerItem(bash, item);
  return client.responses.create({ model: '', input: output === null ? [] : [output] });
};

export const pi = (): PiAgent => new PiAgent({ initialState: { tools: piTools(bash) } });

export const claude = () => [
  createSdkMcpServer({ name: 'other' }),
  query({ prompt: '', options: { mcpServers: { nacre: bashServer(bash) } } }),
];
