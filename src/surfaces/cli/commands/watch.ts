import { resolveStateDirectory } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { textFlag, usageError } from '../flags.ts';

export const command: CliCommand = defineCommand({
  usage: 'watch [options]',
  summary: 'See live what agents run on this machine, and answer them',
  flags: { session: textFlag('NAME', 'Only this session (default: all)') },
  notes: ['Without a terminal, use nacre log, nacre jobs and nacre approvals watch --json.'],
  examples: ['nacre watch', 'nacre watch --session work'],
  act: async ({ flags, words }) => {
    if (words.length > 0) throw usageError(`watch takes no words, got ${JSON.stringify(words[0])}.`);
    if (!process.stdin.isTTY || !process.stdout.isTTY) throw usageError('watch needs a terminal.');
    const { openWatch } = await import('../../console/watch.ts');
    const stop = listenForStopSignals();
    await openWatch({ stateDirectory: resolveStateDirectory(), session: flags.session ?? null, stop });
    return stop.exitStatus() ?? 0;
  },
});
