import { resolve } from 'node:path';
import { loadSettings, toBashOptions } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { rejectArguments, usageError } from '../flags.ts';
import { cwdFlag, hostFlag, sessionFlag, withHostOption } from '../session-flags.ts';
import { readVersion } from '../version.ts';

export const command: CliCommand = defineCommand({
  usage: 'console [options]',
  summary: 'Open an interactive console',
  flags: {
    cwd: cwdFlag,
    session: sessionFlag,
    host: hostFlag,
  },
  notes: ['On a terminal, `nacre` without a command opens the console.'],
  examples: ['nacre', 'nacre console --session work', 'nacre console --host sandbox'],
  act: async ({ flags, words }) => {
    rejectArguments('console', words);
    if (!process.stdin.isTTY || !process.stdout.isTTY)
      throw usageError('The console needs a terminal. Without one, use nacre run, nacre rpc or nacre mcp.');
    const cwd = resolve(flags.cwd ?? '.');
    const settings = withHostOption(toBashOptions(loadSettings({ cwd, env: process.env })), flags.host);
    const { openConsole } = await import('../../console/open-console.ts');
    const stop = listenForStopSignals();
    await openConsole({ version: readVersion(), settings, cwd, session: flags.session, stop });
    return stop.exitStatus() ?? 0;
  },
});
