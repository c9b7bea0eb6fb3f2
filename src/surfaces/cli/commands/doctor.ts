import { defaultStateDirectory, inspectMachine, type MachineFacts } from '../../../index.ts';
import { currentDirectory } from '../../config/current-directory.ts';
import {
  type EffectiveSetting,
  listEffectiveSettings,
  loadSettings,
  type Settings,
  toBashOptions,
} from '../../config/settings.ts';
import { renderByteSize } from '../../rendering/amounts.ts';
import { renderTable } from '../../rendering/text-table.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { rejectArguments, switchFlag } from '../flags.ts';
import { print } from '../print.ts';
import { readVersion } from '../version.ts';

/** The data that `nacre doctor` reports. */
export interface DoctorReport {
  readonly version: string;
  readonly machine: MachineFacts;
  readonly settings: readonly EffectiveSetting[];
  /** `NACRE_*` variables that match no setting. */
  readonly unknownVariables: readonly string[];
}

/** Renders the report as text. */
export function renderDoctorReport({ version, machine, settings, unknownVariables }: DoctorReport): string {
  const unknown = unknownVariables.map((name) => `  ${name} is set, but is not a known setting`);
  return [
    'System',
    renderTable([['  nacre', version], ...machineRows(machine)]),
    'Guarantees',
    renderTable(guaranteeRows(machine)),
    'Settings',
    renderTable(settings.map(settingRow)),
    ...unknown,
    '',
  ].join('\n');
}

function machineRows({ node, platform, kernel, bash, stateDirectory }: MachineFacts): string[][] {
  const { path, problem, freeBytes } = stateDirectory;
  const free = freeBytes === null ? '' : `, ${renderByteSize(freeBytes)} free`;
  return [
    ['  Node', node],
    ['  system', `${platform}, kernel ${kernel}`],
    [
      '  bash',
      'problem' in bash
        ? `UNUSABLE: ${bash.problem}`
        : `${bash.path}, ${bash.version?.text ?? 'unknown version'}`,
    ],
    ['  state', problem === null ? `${path}${free}` : `UNUSABLE: ${path}: ${problem}`],
  ];
}

const TREE_REACH_TEXT: Readonly<Record<MachineFacts['treeReach'], string>> = {
  marker:
    'its group, session, descendants, marked processes and holders of its output; a process that clears its ' +
    'environment, leaves its session and closes its output can survive',
  process_group:
    'only its process group, because there is no /proc; a process that leaves the group survives',
};

/** A command can read the environment of all its ancestors, not only of its parent. */
function renderSecrets({ parentEnvironment, readableAncestors }: MachineFacts): string {
  const readable = [...(parentEnvironment === 'readable' ? ['this program'] : []), ...readableAncestors];
  return readable.length === 0
    ? 'not passed to commands, and not readable by them'
    : `not passed to commands, but a command outside a sandbox can read the environment of ${readable.join(', ')} under /proc`;
}

function guaranteeRows(machine: MachineFacts): string[][] {
  const { treeReach, readyShells, sandbox } = machine;
  return [
    ['  stopping a command reaches', TREE_REACH_TEXT[treeReach]],
    ['  secrets in the environment', renderSecrets(machine)],
    [
      '  warm shells',
      readyShells === null
        ? 'available (readyShells)'
        : `not available: ${readyShells}; every command starts its own shell`,
    ],
    ['  sandbox (--host sandbox)', renderSandbox(sandbox)],
  ];
}

function renderSandbox({ problem, memory, processes, cpus }: MachineFacts['sandbox']): string {
  if (problem !== null) return `not available: ${problem}`;
  const limits = Object.entries({ memory, processes, cpus }).map(
    ([name, by]) => `${name} ${LIMIT_METHOD_TEXT[by]}`,
  );
  return `available: commands in it reach no process, secret or network outside and always end with it; limits: ${limits.join(', ')}`;
}

const LIMIT_METHOD_TEXT: Readonly<Record<MachineFacts['sandbox']['memory'], string>> = {
  cgroup: 'by cgroup',
  rlimit: 'per process',
  none: 'not enforced',
};

function settingRow({ key, value, default: byDefault, sources }: EffectiveSetting): string[] {
  const shown = value === null ? byDefault : typeof value === 'string' ? value : JSON.stringify(value);
  return [`  ${key}`, shown, sources.length === 0 ? 'default' : sources.join(', ')];
}

export const command: CliCommand = defineCommand({
  usage: 'doctor [options]',
  summary: 'Check this machine and show the settings',
  flags: { json: switchFlag('Print the report as one JSON object') },
  notes: ['Exit status: 0 when commands can run, otherwise 1.'],
  examples: ['nacre doctor', "nacre doctor --json | jq '.settings[] | select(.sources != [])'"],
  act: async ({ flags, words }) => {
    rejectArguments('doctor', words);
    const report = inspectInstallation();
    print(flags.json ? `${JSON.stringify(report)}\n` : renderDoctorReport(report));
    return 'path' in report.machine.bash && report.machine.stateDirectory.problem === null ? 0 : 1;
  },
});

/** The file or variable that sets a setting, for an error message. */
function sourceOf(settings: Settings, key: string): string {
  const [source = ''] = settings.get(key)?.sources ?? [];
  return source.startsWith('/') ? `${key} in ${source}` : `the variable ${source}`;
}

function inspectInstallation(): DoctorReport {
  const { env } = process;
  const settings = loadSettings({ cwd: currentDirectory(), env });
  const { shellPath, stateDirectory } = toBashOptions(settings);
  const shown = listEffectiveSettings(settings);
  return {
    version: readVersion(),
    machine: inspectMachine({
      configured: shellPath ? { path: shellPath, source: sourceOf(settings, 'shellPath') } : null,
      searchPath: env.PATH ?? '',
      stateDirectory: stateDirectory ?? defaultStateDirectory(env),
    }),
    settings: shown,
    unknownVariables: unknownVariables(Object.keys(env), shown),
  };
}

/** nacre sets these for every command, so a nested doctor finds them in its environment. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(['NACRE_RUN_ID', 'NACRE_NO_CI']);

function unknownVariables(
  names: readonly string[],
  settings: readonly EffectiveSetting[],
): readonly string[] {
  const known = new Set([...OWN_VARIABLES, ...settings.map(({ variable }) => variable)]);
  return names.filter((name) => name.startsWith('NACRE_') && !known.has(name)).sort();
}
