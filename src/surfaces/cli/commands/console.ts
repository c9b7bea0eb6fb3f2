import { resolve } from 'node:path';
import { loadSettings } from '../../config/load-settings.ts';
import { toOptions } from '../../config/to-options.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { text, usageError } from '../args/flag.ts';
import { on, withHost } from '../args/session-flags.ts';
import { readVersion } from '../version.ts';

export const command: Command = defineCommand({
  usage: 'console [options]',
  summary: 'Work at a prompt, as a person and as an agent',
  flags: {
    cwd: text('DIRECTORY', 'Where commands start'),
    session: text('NAME', 'Whose state, jobs and output (default: a new one)'),
    on,
  },
  notes: ['`nacre` without a command does the same on a terminal.'],
  examples: ['nacre', 'nacre console --session work', 'nacre console --on sandbox'],
  act: async ({ flags, words }) => {
    if (words.length > 0) throw usageError(`console takes no words, got ${JSON.stringify(words[0])}.`);
    if (!process.stdin.isTTY || !process.stdout.isTTY)
      throw usageError('The console needs a terminal. Without one, use nacre run, nacre rpc or nacre mcp.');
    const cwd = resolve(flags.cwd ?? '.');
    const settings = withHost(toOptions(loadSettings({ cwd, env: process.env })), flags.on);
    const { openConsole } = await import('../../console/open-console.ts');
    const stop = listenForStopSignals();
    await openConsole({ version: readVersion(), settings, cwd, session: flags.session, stop });
    return stop.exitStatus() ?? 0;
  },
});
