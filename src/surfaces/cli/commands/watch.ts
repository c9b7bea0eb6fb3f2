import { resolveStateDirectory } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { rejectArguments, textFlag, usageError } from '../flags.ts';

export const command: CliCommand = defineCommand({
  usage: 'watch [options]',
  summary: 'Watch the commands of all agents and answer their approvals',
  flags: { session: textFlag('NAME', 'Only this session (default: all)') },
  notes: ['Without a terminal, use nacre log, nacre jobs and nacre approvals watch --json.'],
  examples: ['nacre watch', 'nacre watch --session work'],
  act: async ({ flags, words }) => {
    rejectArguments('watch', words);
    if (!process.stdin.isTTY || !process.stdout.isTTY) throw usageError('watch needs a terminal.');
    const { openWatch } = await import('../../console/watch.ts');
    const stop = listenForStopSignals();
    await openWatch({ stateDirectory: resolveStateDirectory(), session: flags.session ?? null, stop });
    return stop.exitStatus() ?? 0;
  },
});
