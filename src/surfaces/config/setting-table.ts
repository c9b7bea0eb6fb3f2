import { HOST_SETTINGS } from './host-settings.ts';
import { MCP_SETTINGS } from './mcp-settings.ts';
import { MINIMIZER_SETTINGS } from './minimizer-settings.ts';
import { POLICY_SETTINGS } from './policy-settings.ts';
import { READY_SETTINGS } from './ready-settings.ts';
import type { ProjectRight, Setting } from './setting.ts';
import { absolutePath, bytes, flag, names, oneOf, text, wholeNumber } from './setting-type.ts';
import { SHELL_SETTINGS } from './shell-settings.ts';

export type { Setting } from './setting.ts';

const DAY_MS = 86_400_000;
const RUNS_CODE: ProjectRight = { never: 'it decides what is executed' };
const KEEPS_OUTPUT: ProjectRight = { never: 'it decides what is kept on your disk, and what is deleted' };
const OPENS_SECRETS: ProjectRight = { never: 'it gives secrets to commands' };
const RAISES_LIMIT: ProjectRight = { never: 'it raises a limit of yours' };

/** Every setting there is. A key that is not here is an error, so none is read and ignored. */
export const SETTINGS: Readonly<Record<string, Setting>> = {
  profile: {
    type: oneOf('agent', 'modes', 'simple'),
    default: 'agent',
    help: 'Which contract of the tool a model sees',
    project: { only: ['agent', 'modes'] },
    option: 'profile',
  },
  shellPath: {
    type: absolutePath,
    default: 'the first bash found',
    help: 'The bash that runs commands, 4.4 or newer',
    project: RUNS_CODE,
    option: 'shellPath',
  },
  shellPrefix: {
    type: text,
    default: 'none',
    help: 'Shell text that goes before every command',
    project: RUNS_CODE,
    option: 'shellPrefix',
  },
  timeoutMs: {
    type: wholeNumber(1),
    default: '300000; 30000 in modes and simple',
    help: 'How long a command may run when its call names no limit',
    project: 'may',
    option: 'timeoutMs',
  },
  slowTimeoutMs: {
    type: wholeNumber(1),
    default: '900000',
    help: 'The same for mode "slow" of the profile modes',
    project: 'may',
    option: 'slowTimeoutMs',
  },
  jobTimeoutMs: {
    type: wholeNumber(1),
    default: '86400000',
    help: 'The same for jobs',
    project: RAISES_LIMIT,
    option: 'jobTimeoutMs',
  },
  maxTimeoutMs: {
    type: wholeNumber(1000),
    default: '3600000',
    help: 'The longest limit a call may ask for',
    project: RAISES_LIMIT,
    option: 'maxTimeoutMs',
  },
  graceMs: {
    type: wholeNumber(0, 15_000),
    default: '2000; 15000 in modes',
    help: 'How long a command has between TERM and KILL',
    project: 'may',
    option: 'graceMs',
  },
  'async.enabled': {
    type: flag,
    default: 'true',
    help: 'Whether a model may start jobs',
    project: { only: [false] },
    option: 'async.enabled',
  },
  'async.maxJobs': {
    type: wholeNumber(0),
    default: '64',
    help: 'How many jobs of a session may live at once',
    project: RAISES_LIMIT,
    option: 'async.maxJobs',
  },
  'bash.autoBackground.enabled': {
    type: flag,
    default: 'true',
    help: 'Whether a call that outlives its wait goes on as a job; in the profile agent',
    project: 'may',
    option: 'async.autoBackground.enabled',
  },
  'bash.autoBackground.thresholdMs': {
    type: wholeNumber(0),
    default: '60000',
    help: 'How long a call waits that does not say it',
    project: 'may',
    option: 'async.autoBackground.afterMs',
  },
  liftLimits: {
    type: flag,
    default: 'false',
    help: 'Take a trailing "| head -n N" or "| tail -n N" as a limit of what is shown',
    project: 'may',
    option: 'liftLimits',
  },
  serial: {
    type: flag,
    default: 'false',
    help: 'One call at a time',
    project: 'may',
    option: 'serial',
  },
  ...READY_SETTINGS,
  jobsAtExit: {
    type: oneOf('keep', 'stop'),
    default: 'keep',
    help: 'What becomes of jobs when the program that started them ends',
    project: { only: ['stop'] },
    option: 'jobsAtExit',
  },
  'bash.ci': {
    type: flag,
    default: 'true',
    help: 'Whether commands get CI=true',
    project: 'may',
    option: 'ci',
    aliases: { NACRE_NO_CI: false, PI_BASH_NO_CI: false },
  },
  'bash.virtualTerminal': {
    type: oneOf('on', 'off'),
    default: 'off',
    help: 'Whether calls that can show a terminal run on one without asking for it',
    project: 'may',
    option: 'virtualTerminal',
  },
  'secrets.withhold': {
    type: flag,
    default: 'true; false in simple',
    help: 'Whether variables that look like secrets are kept from commands',
    project: { only: [true] },
    option: 'secrets.withhold',
  },
  'secrets.allow': {
    type: names,
    default: 'none',
    help: 'Variables that are no secrets, whatever they look like; * stands for any text',
    project: OPENS_SECRETS,
    option: 'secrets.allow',
  },
  'secrets.deny': {
    type: names,
    default: 'none',
    help: 'Variables that are secrets, whatever they look like; * stands for any text',
    project: 'may',
    option: 'secrets.deny',
  },
  'secrets.grants': {
    type: names,
    default: 'none',
    help: 'Secrets that commands get all the same; their values are masked in what is shown',
    project: OPENS_SECRETS,
    option: 'secrets.grants',
  },
  'storage.maxRunBytes': {
    type: bytes,
    default: '1GiB',
    help: 'Raw output kept of one run',
    project: KEEPS_OUTPUT,
    option: 'storage.maxRunBytes',
  },
  'storage.onFull': {
    type: oneOf('drop_middle', 'stop'),
    default: 'drop_middle',
    help: 'Beyond that: drop the middle and go on, or end the run',
    project: KEEPS_OUTPUT,
    option: 'storage.onFull',
  },
  'storage.maxTotalBytes': {
    type: bytes,
    default: '8GiB',
    help: 'Raw output kept of all ended runs; the oldest go first',
    project: KEEPS_OUTPUT,
    option: 'storage.maxTotalBytes',
  },
  'storage.maxAgeDays': {
    type: wholeNumber(0, 36_500),
    default: '7',
    help: 'How long an ended run is kept',
    project: KEEPS_OUTPUT,
    option: 'storage.maxAgeMs',
    factor: DAY_MS,
  },
  'storage.minFreeBytes': {
    type: bytes,
    default: '64MiB',
    help: 'Free space below which no run starts',
    project: KEEPS_OUTPUT,
    option: 'storage.minFreeBytes',
  },
  ...SHELL_SETTINGS,
  ...MINIMIZER_SETTINGS,
  ...HOST_SETTINGS,
  ...POLICY_SETTINGS,
  ...MCP_SETTINGS,
  stateDirectory: {
    type: absolutePath,
    default: '$XDG_STATE_HOME/nacre',
    help: 'Where runs, sessions and the log live',
    project: KEEPS_OUTPUT,
    option: 'stateDirectory',
  },
};

/** `storage.maxRunBytes` → `NACRE_STORAGE_MAX_RUN_BYTES`. */
export function variableOf(key: string): string {
  return `NACRE_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}
