import type { MachineFacts } from '../../../index.ts';
import type { EffectiveSetting } from '../../config/effective-settings.ts';
import { renderSize } from '../../table/render-size.ts';
import { renderTable } from '../../table/render-table.ts';

/** Everything `nacre doctor` has to say. */
export interface Report {
  readonly version: string;
  readonly machine: MachineFacts;
  readonly settings: readonly EffectiveSetting[];
  /** Variables that look like settings and are none. */
  readonly unknownVariables: readonly string[];
}

/** The report for people. */
export function renderReport({ version, machine, settings, unknownVariables }: Report): string {
  const unknown = unknownVariables.map((name) => `  ${name} is set, but there is no such setting`);
  return [
    'Here',
    renderTable([['  nacre', version], ...hereRows(machine)]),
    'Promises',
    renderTable(promiseRows(machine)),
    'Settings',
    renderTable(settings.map(settingRow)),
    ...unknown,
    '',
  ].join('\n');
}

function hereRows({ node, platform, kernel, bash, stateDirectory }: MachineFacts): string[][] {
  const { path, problem, freeBytes } = stateDirectory;
  const free = freeBytes === null ? '' : `, ${renderSize(freeBytes)} free`;
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

const REACH: Readonly<Record<MachineFacts['treeReach'], string>> = {
  marker:
    'group, session, descendants, marked processes and holders of its output; one that clears its environment, ' +
    'leaves its session and closes its output can survive',
  process_group:
    'only the process group: there is no /proc here, so a process that leaves the group survives',
};

/** A command looks further than to who started it. */
function renderSecrets({ parentEnvironment, readableAncestors }: MachineFacts): string {
  const who = [...(parentEnvironment === 'readable' ? ['this program'] : []), ...readableAncestors];
  return who.length === 0
    ? 'not given to commands, and not readable from them'
    : `not given to commands, but a command can read the environment of ${who.join(', ')} under /proc; not in a sandbox`;
}

function promiseRows(machine: MachineFacts): string[][] {
  const { treeReach, readyShells, sandbox } = machine;
  return [
    ['  ending a command reaches', REACH[treeReach]],
    ['  secrets of the environment', renderSecrets(machine)],
    [
      '  shells that are ready',
      readyShells === null
        ? 'are kept for the next commands (readyShells)'
        : `are not kept: ${readyShells}; every command starts its own`,
    ],
    ['  a sandbox (--on sandbox)', renderSandbox(sandbox)],
  ];
}

function renderSandbox({ problem, memory, processes, cpus }: MachineFacts['sandbox']): string {
  if (problem !== null) return `cannot be built: ${problem}`;
  const limits = Object.entries({ memory, processes, cpus }).map(([name, by]) => `${name} ${KEEPERS[by]}`);
  return `can be built: who is in it reaches no process, secret or network outside, and ends with it for certain; limits: ${limits.join(', ')}`;
}

const KEEPERS: Readonly<Record<MachineFacts['sandbox']['memory'], string>> = {
  cgroup: 'by cgroup',
  rlimit: 'of each process alone',
  none: 'not held',
};

function settingRow({ key, value, default: byDefault, sources }: EffectiveSetting): string[] {
  const shown = value === null ? byDefault : typeof value === 'string' ? value : JSON.stringify(value);
  return [`  ${key}`, shown, sources.length === 0 ? 'default' : sources.join(', ')];
}
