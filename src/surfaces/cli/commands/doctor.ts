import { defaultStateDirectory, inspectMachine, type MachineFacts } from '../../../index.ts';
import { didYouMean } from '../../../validator.ts';
import { currentDirectory } from '../../config/current-directory.ts';
import {
  type EffectiveSetting,
  inspectSettings,
  listEffectiveSettings,
  type Settings,
  toBashOptions,
} from '../../config/settings.ts';
import { renderByteSize } from '../../rendering/amounts.ts';
import { toPrintable } from '../../rendering/printable.ts';
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
  /** Errors in settings files and variables. */
  readonly problems: readonly { readonly id: string; readonly message: string }[];
  /** `NACRE_*` variables that match no setting. */
  readonly unknownVariables: readonly string[];
}

/** One checked fact: whether it is as it should be, and how to change it. */
interface Check {
  readonly name: string;
  readonly isGood: boolean;
  readonly text: string;
  /** What to do; for a failed check only. */
  readonly fix?: string;
}

/** Renders the report as text. */
export function renderDoctorReport(report: DoctorReport, all: boolean): string {
  const { machine, settings } = report;
  const shown = settings.filter(({ sources }) => all || sources.length > 0);
  const others = shown.length === 0 ? 'All settings' : 'The other settings';
  return [
    'System',
    ...systemChecks(report).flatMap(renderCheck),
    'Guarantees',
    ...guaranteeChecks(machine).flatMap(renderCheck),
    'Settings',
    ...settingChecks(report).flatMap(renderCheck),
    ...(shown.length === 0 ? [] : [renderTable(shown.map(settingRow))]),
    ...(all ? [] : [`  ${others} have their defaults: nacre doctor --all`]),
    '',
  ].join('\n');
}

const WIDTH = 80;

function renderCheck({ name, isGood, text, fix }: Check): readonly string[] {
  const lines = wrapText(`${name}: ${toPrintable(text)}`, WIDTH - 4);
  const fixLines = isGood || fix === undefined ? [] : wrapText(`Fix: ${fix}`, WIDTH - 4);
  return [...lines, ...fixLines].map((line, at) => `  ${at > 0 ? ' ' : isGood ? '✓' : '✗'} ${line}`);
}

/** Breaks a text between words. A word that is longer than the width stays whole, so that it can be copied. */
function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function systemChecks({ version, machine }: DoctorReport): readonly Check[] {
  const { node, platform, kernel, bash, stateDirectory } = machine;
  const { path, problem, freeBytes } = stateDirectory;
  const free = freeBytes === null ? '' : `, ${renderByteSize(freeBytes)} free`;
  return [
    { name: 'nacre', isGood: true, text: version },
    { name: 'Node', isGood: true, text: node },
    { name: 'system', isGood: true, text: `${platform}, kernel ${kernel}` },
    {
      name: 'bash',
      isGood: 'path' in bash,
      text: 'path' in bash ? `${bash.path}, ${bash.version?.text ?? 'unknown version'}` : bash.problem,
      fix: 'Install bash, or set the setting shellPath to the path of one.',
    },
    {
      name: 'state directory',
      isGood: problem === null,
      text: problem === null ? `${path}${free}` : `${path}: ${problem}`,
      fix: 'Set the setting stateDirectory to a directory that you can write.',
    },
  ];
}

function settingChecks({ problems, settings, unknownVariables }: DoctorReport): readonly Check[] {
  const known = settings.map(({ variable }) => variable);
  return [
    ...problems.map(({ message }) => ({ name: 'error', isGood: false, text: message, fix: SETTINGS_FIX })),
    ...unknownVariables.map((name) => ({
      name,
      isGood: false,
      text: 'the variable is set, but is not a known setting.',
      fix: `Unset it.${didYouMean(name, known)}`,
    })),
  ];
}

const SETTINGS_FIX =
  'Correct it. Until then commands are refused, and no setting of this source is shown here.';

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

function guaranteeChecks(machine: MachineFacts): readonly Check[] {
  const { treeReach, readyShells, sandbox, parentEnvironment, readableAncestors } = machine;
  return [
    {
      name: 'stopping a command reaches',
      isGood: treeReach === 'marker',
      text: TREE_REACH_TEXT[treeReach],
      fix: 'Use Linux with /proc mounted.',
    },
    {
      name: 'secrets in the environment',
      isGood: parentEnvironment === 'protected' && readableAncestors.length === 0,
      text: renderSecrets(machine),
      fix: 'Run commands in a sandbox: --host sandbox, or the setting host.',
    },
    {
      name: 'warm shells',
      isGood: readyShells === null,
      text:
        readyShells === null
          ? 'available (readyShells)'
          : `not available: ${readyShells}; every command starts its own shell`,
      fix: 'On Linux, install setsid (the package util-linux).',
    },
    {
      name: 'sandbox (--host sandbox)',
      isGood: sandbox.problem === null,
      text: renderSandbox(sandbox),
      fix: 'On Linux, install bubblewrap and allow unprivileged user namespaces.',
    },
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
  flags: {
    all: switchFlag('Show all settings (default: only those that are set)'),
    json: switchFlag('Print the report as one JSON object, with all settings'),
  },
  notes: ['Exit status: 0 when commands can run, otherwise 1.'],
  examples: ['nacre doctor', "nacre doctor --json | jq '.settings[] | select(.sources != [])'"],
  act: async ({ flags, words }) => {
    rejectArguments('doctor', words);
    const report = inspectInstallation();
    print(flags.json ? `${JSON.stringify(report)}\n` : renderDoctorReport(report, flags.all ?? false));
    const { machine, problems } = report;
    const canRun = 'path' in machine.bash && machine.stateDirectory.problem === null && problems.length === 0;
    return canRun ? 0 : 1;
  },
});

/** The file or variable that sets a setting, for an error message. */
function sourceOf(settings: Settings, key: string): string {
  const [source = ''] = settings.get(key)?.sources ?? [];
  return source.startsWith('/') ? `${key} in ${source}` : `the variable ${source}`;
}

function inspectInstallation(): DoctorReport {
  const { env } = process;
  const { settings, problems } = inspectSettings({ cwd: currentDirectory(), env });
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
    problems: problems.map(({ code, message }) => ({ id: code, message })),
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
