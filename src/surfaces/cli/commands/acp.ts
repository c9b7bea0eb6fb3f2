import { loadSettings, toBashOptions } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { rejectArguments, secondsFlag } from '../flags.ts';
import { hostFlag, withHostOption } from '../session-flags.ts';
import { readVersion } from '../version.ts';

export const command: CliCommand = defineCommand({
  usage: 'acp [options]',
  summary: 'Run commands from an editor over ACP',
  flags: {
    timeout: secondsFlag('Time limit of a command, 0 for none (default: the setting, or none)'),
    host: hostFlag,
  },
  notes: [
    'Serves the Agent Client Protocol (v1) on stdin and stdout until stdin ends. Jobs keep running.',
    "Commands run in the editor's terminal if it offers one.",
    'The editor shows approval questions.',
  ],
  examples: ['nacre acp'],
  act: async ({ flags, words }) => {
    rejectArguments('acp', words);
    const { timeout } = flags;
    const { serveAcp } = await import('../../acp/serve-agent.ts');
    const stop = listenForStopSignals();
    await serveAcp({
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
