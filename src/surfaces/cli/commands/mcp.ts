import { resolve } from 'node:path';
import type { BashOptions } from '../../../index.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { toOptions } from '../../config/to-options.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { choice, seconds, text, usageError } from '../args/flag.ts';
import { complain } from '../print.ts';
import { readVersion } from '../version.ts';

export const command: Command = defineCommand({
  usage: 'mcp [options]',
  summary: 'Serve the tool to agents over MCP',
  flags: {
    cwd: text('<dir>', 'Start commands in this directory'),
    profile: choice(
      '<name>',
      ['agent', 'modes', 'simple'],
      'Use this contract: agent, modes or simple (default: agent)',
    ),
    session: text('<name>', 'Let artifacts and jobs belong to this session (default: a new one)'),
    callLimit: seconds('How long the client waits for a tool, 0 for ever (default: by its name)'),
  },
  notes: [
    'Speaks MCP on stdin and stdout and ends when stdin ends; jobs go on.',
    'A call goes on as a job shortly before the client would give up.',
  ],
  examples: ['claude mcp add nacre -- npx nacre mcp', 'codex mcp add nacre -- npx nacre mcp'],
  act: async ({ flags, words }) => {
    if (words.length > 0) throw usageError(`mcp takes no words, got ${JSON.stringify(words[0])}.`);
    const cwd = resolve(flags.cwd ?? '.');
    const settings = loadSettings({ cwd, env: process.env });
    const bash: BashOptions = {
      ...toOptions(settings),
      cwd,
      ...(flags.profile === undefined ? {} : { profile: flags.profile as 'agent' }),
      ...(flags.session === undefined ? {} : { session: flags.session }),
    };
    const limit =
      flags.callLimit === undefined ? settings.get('mcp.callLimitMs')?.value : flags.callLimit * 1_000;
    const callLimit = typeof limit === 'number' ? limit : 'auto';
    const { serveStdio } = await import('../../mcp/serve-stdio.ts');
    await serveStdio({ bash, callLimit, version: readVersion(), complain });
    return 0;
  },
});
