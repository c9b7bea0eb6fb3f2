import { defaultStateDirectory, inspectMachine } from '../../../index.ts';
import { type EffectiveSetting, effectiveSettings } from '../../config/effective-settings.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { toOptions } from '../../config/to-options.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { toggle, usageError } from '../args/flag.ts';
import { currentDirectory } from '../current-directory.ts';
import { print } from '../print.ts';
import { readVersion } from '../version.ts';
import { type Report, renderReport } from './doctor-report.ts';

export const command: Command = defineCommand({
  usage: 'doctor [options]',
  summary: 'Say what works on this machine',
  flags: { json: toggle('Print the report as one JSON object') },
  notes: ['Exit status: 0 when commands can be run here, 1 when not.'],
  examples: ['nacre doctor', "nacre doctor --json | jq '.settings[] | select(.sources != [])'"],
  act: async ({ flags, words }) => {
    if (words.length > 0) throw usageError(`doctor takes no words, got ${JSON.stringify(words[0])}.`);
    const report = examine();
    print(flags.json ? `${JSON.stringify(report)}\n` : renderReport(report));
    return 'path' in report.machine.bash && report.machine.stateDirectory.problem === null ? 0 : 1;
  },
});

function examine(): Report {
  const { env } = process;
  const settings = loadSettings({ cwd: currentDirectory(), env });
  const { shellPath, shellPathSource = 'shellPath', stateDirectory } = toOptions(settings);
  const shown = effectiveSettings(settings);
  return {
    version: readVersion(),
    machine: inspectMachine({
      configured: shellPath ? { path: shellPath, source: shellPathSource } : null,
      searchPath: env.PATH ?? '',
      stateDirectory: stateDirectory ?? defaultStateDirectory(env),
    }),
    settings: shown,
    unknownVariables: unknownVariables(Object.keys(env), shown),
  };
}

/** Set by us for every command, so doctor may find them in its own environment. */
const OURS: ReadonlySet<string> = new Set(['NACRE_RUN_ID', 'NACRE_NO_CI']);

function unknownVariables(
  names: readonly string[],
  settings: readonly EffectiveSetting[],
): readonly string[] {
  const known = new Set([...OURS, ...settings.map(({ variable }) => variable)]);
  return names.filter((name) => name.startsWith('NACRE_') && !known.has(name)).sort();
}
