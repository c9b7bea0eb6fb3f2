import { loadSettings, toBashOptions } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { secondsFlag, usageError } from '../flags.ts';
import { hostFlag, withHostOption } from '../session-flags.ts';
import { readVersion } from '../version.ts';

export const command: CliCommand = defineCommand({
  usage: 'acp [options]',
  summary: 'Run what you type in your editor, over ACP',
  flags: {
    timeout: secondsFlag('End a command after this long, 0 for no limit (default: as set, or none)'),
    host: hostFlag,
  },
  notes: [
    'Speaks the Agent Client Protocol (v1) on stdin and stdout and ends when stdin ends; jobs go on.',
    "Commands run in the editor's terminal where it has one, else here.",
    'Questions of the policy are asked in the editor.',
  ],
  examples: ['nacre acp'],
  act: async ({ flags, words }) => {
    if (words.length > 0) throw usageError(`acp takes no words, got ${JSON.stringify(words[0])}.`);
    const { timeout } = flags;
    const { serveAcp: serveAgent } = await import('../../acp/serve-agent.ts');
    const stop = listenForStopSignals();
    await serveAgent({
      version: readVersion(),
      input: process.stdin,
      output: process.stdout,
      stop,
      bash: (cwd) => {
        const options = toBashOptions(loadSettings({ cwd, env: process.env }));
        const { timeoutMs, ...settings } = withHostOption(options, flags.host);
        const limit = timeout === undefined ? timeoutMs : timeout * 1_000;
        return { ...settings, cwd, ...(limit ? { timeoutMs: limit } : {}) };
      },
    });
    return stop.exitStatus() ?? 0;
  },
});
