import {
  absolutePathType,
  approvalRulesType,
  booleanType,
  byteSizeType,
  condenserRulesType,
  enumType,
  hostMapType,
  integerType,
  interceptorRulesType,
  nameListType,
  type SettingType,
  textType,
} from './setting-type.ts';

/** What the file of a project, which may come from anybody, can do with a setting. */
export type ProjectFileAccess =
  | 'may'
  /** Only these values: the ones that make nothing less safe. */
  | { readonly only: readonly unknown[] }
  | { readonly never: string };

/** One setting: everything that is known about it, in one row. */
export interface Setting {
  readonly type: SettingType;
  /** For people; the value itself is the library's business. */
  readonly default: string;
  readonly help: string;
  readonly project: ProjectFileAccess;
  /** Where it goes in the options of `createBash`; `null`: the surface it is named after reads it itself. */
  readonly option: string | null;
  /** What one of it is worth there. */
  readonly factor?: number;
  /** Further variables that set it, with what they mean when they are set. */
  readonly aliases?: Readonly<Record<string, unknown>>;
}

const HIDES_OUTPUT: ProjectFileAccess = { never: 'it decides what a model does not see' };

/** How output that does not fit is made shorter. */
export const MINIMIZER_SETTINGS: Readonly<Record<string, Setting>> = {
  'shellMinimizer.enabled': {
    type: booleanType,
    default: 'true',
    help: 'Whether the dull lines of known commands are left out of output that does not fit',
    project: 'may',
    option: 'minimizer.enabled',
  },
  'shellMinimizer.only': {
    type: nameListType,
    default: 'none',
    help: 'Only these condensers, by name; none named: all of them',
    project: 'may',
    option: 'minimizer.only',
  },
  'shellMinimizer.except': {
    type: nameListType,
    default: 'none',
    help: 'All condensers but these',
    project: 'may',
    option: 'minimizer.except',
  },
  'shellMinimizer.condensers': {
    type: condenserRulesType,
    default: 'none',
    help: 'Condensers of your own, for commands of your own',
    project: HIDES_OUTPUT,
    option: 'minimizer.condensers',
  },
};

/** Shells that are started ahead. */
export const WARM_SHELL_SETTINGS: Readonly<Record<string, Setting>> = {
  readyShells: {
    type: integerType(0, 64),
    default: '2',
    help: 'How many shells are kept ready for the next commands; 0 keeps none',
    project: { never: 'it starts processes on your machine' },
    option: 'readyShells',
  },
};

const CHOOSES_HOST: ProjectFileAccess = {
  never: 'it decides where commands run, and what protects you from them',
};

/** Where commands run. */
export const HOST_SETTINGS: Readonly<Record<string, Setting>> = {
  host: {
    type: textType,
    default: 'this machine',
    help: 'Where commands run: local, sandbox, ssh:<destination>, or a name in hosts',
    project: CHOOSES_HOST,
    option: 'host',
  },
  hosts: {
    type: hostMapType,
    default: 'none',
    help: 'Hosts by name',
    project: CHOOSES_HOST,
    option: 'hosts',
  },
};

const CHOOSES_REFUSALS: ProjectFileAccess = { never: 'it decides which commands are refused' };

/** What is refused before it runs. */
export const POLICY_SETTINGS: Readonly<Record<string, Setting>> = {
  toolNames: {
    type: nameListType,
    default: 'none',
    help: 'The other tools a model has: the interceptor sends commands only to these',
    project: 'may',
    option: 'toolNames',
  },
  'bashInterceptor.enabled': {
    type: booleanType,
    default: 'false',
    help: 'Whether a command that another tool does better is refused with its name',
    project: 'may',
    option: 'policy.interceptor.enabled',
  },
  'bashInterceptor.mode': {
    type: enumType('block', 'warn'),
    default: 'block',
    help: 'Whether such a command is refused, or runs with a note',
    project: { only: ['block'] },
    option: 'policy.interceptor.mode',
  },
  'bashInterceptor.patterns': {
    type: interceptorRulesType,
    default: 'the built-in rules',
    help: 'Which commands these are',
    project: CHOOSES_REFUSALS,
    option: 'policy.interceptor.rules',
  },
  'policy.enabled': {
    type: booleanType,
    default: 'true; false in simple',
    help: 'Whether commands are judged before they run',
    project: { only: [true] },
    option: 'policy.enabled',
  },
  'policy.checks.no_blind_git_add': {
    type: booleanType,
    default: 'true',
    help: 'Refuse to add everything to git at once',
    project: { only: [true] },
    option: 'policy.checks.no_blind_git_add',
  },
  'policy.checks.no_force_push': {
    type: booleanType,
    default: 'true',
    help: 'Refuse to overwrite what others pushed',
    project: { only: [true] },
    option: 'policy.checks.no_force_push',
  },
  'policy.checks.no_dangerous_rm': {
    type: booleanType,
    default: 'true',
    help: 'Refuse to delete a repository, the home directory or everything',
    project: { only: [true] },
    option: 'policy.checks.no_dangerous_rm',
  },
  'policy.checks.no_system_directory_rm': {
    type: booleanType,
    default: 'false',
    help: 'Refuse to delete directories of the system',
    project: { only: [true] },
    option: 'policy.checks.no_system_directory_rm',
  },
  'policy.homeSubpaths': {
    type: enumType('block', 'allow'),
    default: 'block',
    help: 'Whether deleting something below ~ counts as dangerous, or only ~ itself',
    project: { only: ['block'] },
    option: 'policy.homeSubpaths',
  },
  'policy.unreadable': {
    type: enumType('refuse', 'allow'),
    default: 'refuse',
    help: 'What happens to a command that bash can read and the policy cannot',
    project: { only: ['refuse'] },
    option: 'policy.unreadable',
  },
  'policy.approvals.rules': {
    type: approvalRulesType,
    default: 'none',
    help: 'Which commands are allowed, asked about or denied; the first rule that matches decides',
    project: { never: 'it decides which commands may run' },
    option: 'policy.approvals.rules',
  },
  'policy.approvals.otherwise': {
    type: enumType('allow', 'ask', 'deny'),
    default: 'allow',
    help: 'What happens to a command that no approval rule is about',
    project: { only: ['deny'] },
    option: 'policy.approvals.otherwise',
  },
  'policy.approvals.waitMs': {
    type: integerType(0, 86_400_000),
    default: '300000',
    help: 'How long a question waits for its answer; no answer is no, and 0 asks nobody',
    project: 'may',
    option: 'policy.approvals.waitMs',
  },
};

/** How the tool is served over MCP. */
export const MCP_SETTINGS: Readonly<Record<string, Setting>> = {
  'mcp.callLimitMs': {
    type: integerType(0),
    default: "the client's own",
    help: 'How long the MCP client waits for a tool: a call goes on as a job before that; 0 when it waits forever',
    project: 'may',
    option: null,
  },
  'mcp.answeredElsewhereMs': {
    type: integerType(0, 86_400_000),
    default: '0',
    help: 'How long nacre approvals may answer for an MCP client that cannot ask its person',
    project: 'may',
    option: null,
  },
  'mcp.http.hosts': {
    type: nameListType,
    default: 'none',
    help: 'Names besides localhost by which clients may call nacre mcp --http: what Host and Origin may say',
    project: { never: 'it opens the server to other names' },
    option: null,
  },
  'mcp.http.idleMs': {
    type: integerType(1_000),
    default: '1800000',
    help: 'How long nacre mcp --http keeps a session that nobody uses; its jobs go on',
    project: 'may',
    option: null,
  },
};

/** What a new shell knows of the one before it, and of the user's own. */
export const SHELL_SETTINGS: Readonly<Record<string, Setting>> = {
  shellState: {
    type: booleanType,
    default: 'true; false in modes and simple',
    help: 'Whether what a command changes in its shell is there in the next call of the session',
    project: 'may',
    option: 'shellState',
  },
  shellSnapshot: {
    type: booleanType,
    default: 'true',
    help: 'Whether a session that keeps its shell has your functions, aliases, options and PATH',
    project: { only: [false] },
    option: 'shellSnapshot',
  },
};

const DAY_MS = 86_400_000;
const RUNS_CODE: ProjectFileAccess = { never: 'it decides what is executed' };
const KEEPS_OUTPUT: ProjectFileAccess = {
  never: 'it decides what is kept on your disk, and what is deleted',
};
const OPENS_SECRETS: ProjectFileAccess = { never: 'it gives secrets to commands' };
const RAISES_LIMIT: ProjectFileAccess = { never: 'it raises a limit of yours' };

/** Every setting there is. A key that is not here is an error, so none is read and ignored. */
export const SETTING_TABLE: Readonly<Record<string, Setting>> = {
  profile: {
    type: enumType('agent', 'modes', 'simple'),
    default: 'agent',
    help: 'Which contract of the tool a model sees',
    project: { only: ['agent', 'modes'] },
    option: 'profile',
  },
  shellPath: {
    type: absolutePathType,
    default: 'the first bash found',
    help: 'The bash that runs commands, 4.4 or newer',
    project: RUNS_CODE,
    option: 'shellPath',
  },
  shellPrefix: {
    type: textType,
    default: 'none',
    help: 'Shell text that goes before every command',
    project: RUNS_CODE,
    option: 'shellPrefix',
  },
  timeoutMs: {
    type: integerType(1),
    default: '300000; 30000 in modes and simple',
    help: 'How long a command may run when its call names no limit',
    project: 'may',
    option: 'timeoutMs',
  },
  slowTimeoutMs: {
    type: integerType(1),
    default: '900000',
    help: 'The same for mode "slow" of the profile modes',
    project: 'may',
    option: 'slowTimeoutMs',
  },
  jobTimeoutMs: {
    type: integerType(1),
    default: '86400000',
    help: 'The same for jobs',
    project: RAISES_LIMIT,
    option: 'jobTimeoutMs',
  },
  maxTimeoutMs: {
    type: integerType(1000),
    default: '3600000',
    help: 'The longest limit a call may ask for',
    project: RAISES_LIMIT,
    option: 'maxTimeoutMs',
  },
  graceMs: {
    type: integerType(0, 15_000),
    default: '2000; 15000 in modes',
    help: 'How long a command has between TERM and KILL',
    project: 'may',
    option: 'graceMs',
  },
  'async.enabled': {
    type: booleanType,
    default: 'true',
    help: 'Whether a model may start jobs',
    project: { only: [false] },
    option: 'async.enabled',
  },
  'async.maxJobs': {
    type: integerType(0),
    default: '64',
    help: 'How many jobs of a session may live at once',
    project: RAISES_LIMIT,
    option: 'async.maxJobs',
  },
  'bash.autoBackground.enabled': {
    type: booleanType,
    default: 'true',
    help: 'Whether a call that outlives its wait goes on as a job; in the profile agent',
    project: 'may',
    option: 'async.autoBackground.enabled',
  },
  'bash.autoBackground.thresholdMs': {
    type: integerType(0),
    default: '60000',
    help: 'How long a call waits that does not say it',
    project: 'may',
    option: 'async.autoBackground.afterMs',
  },
  liftLimits: {
    type: booleanType,
    default: 'false',
    help: 'Take a trailing "| head -n N" or "| tail -n N" as a limit of what is shown',
    project: 'may',
    option: 'liftLimits',
  },
  serial: {
    type: booleanType,
    default: 'false',
    help: 'One call at a time',
    project: 'may',
    option: 'serial',
  },
  ...WARM_SHELL_SETTINGS,
  jobsAtExit: {
    type: enumType('keep', 'stop'),
    default: 'keep',
    help: 'What becomes of jobs when the program that started them ends',
    project: { only: ['stop'] },
    option: 'jobsAtExit',
  },
  'bash.ci': {
    type: booleanType,
    default: 'true',
    help: 'Whether commands get CI=true',
    project: 'may',
    option: 'ci',
    aliases: { NACRE_NO_CI: false, PI_BASH_NO_CI: false },
  },
  'bash.virtualTerminal': {
    type: enumType('on', 'off'),
    default: 'off',
    help: 'Whether calls that can show a terminal run on one without asking for it',
    project: 'may',
    option: 'virtualTerminal',
  },
  'secrets.withhold': {
    type: booleanType,
    default: 'true; false in simple',
    help: 'Whether variables that look like secrets are kept from commands',
    project: { only: [true] },
    option: 'secrets.withhold',
  },
  'secrets.allow': {
    type: nameListType,
    default: 'none',
    help: 'Variables that are no secrets, whatever they look like; * stands for any text',
    project: OPENS_SECRETS,
    option: 'secrets.allow',
  },
  'secrets.deny': {
    type: nameListType,
    default: 'none',
    help: 'Variables that are secrets, whatever they look like; * stands for any text',
    project: 'may',
    option: 'secrets.deny',
  },
  'secrets.grants': {
    type: nameListType,
    default: 'none',
    help: 'Secrets that commands get all the same; their values are masked in what is shown',
    project: OPENS_SECRETS,
    option: 'secrets.grants',
  },
  'storage.maxRunBytes': {
    type: byteSizeType,
    default: '1GiB',
    help: 'Raw output kept of one run',
    project: KEEPS_OUTPUT,
    option: 'storage.maxRunBytes',
  },
  'storage.onFull': {
    type: enumType('drop_middle', 'stop'),
    default: 'drop_middle',
    help: 'Beyond that: drop the middle and go on, or end the run',
    project: KEEPS_OUTPUT,
    option: 'storage.onFull',
  },
  'storage.maxTotalBytes': {
    type: byteSizeType,
    default: '8GiB',
    help: 'Raw output kept of all ended runs; the oldest go first',
    project: KEEPS_OUTPUT,
    option: 'storage.maxTotalBytes',
  },
  'storage.maxAgeDays': {
    type: integerType(0, 36_500),
    default: '7',
    help: 'How long an ended run is kept',
    project: KEEPS_OUTPUT,
    option: 'storage.maxAgeMs',
    factor: DAY_MS,
  },
  'storage.minFreeBytes': {
    type: byteSizeType,
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
    type: absolutePathType,
    default: '$XDG_STATE_HOME/nacre',
    help: 'Where runs, sessions and the log live',
    project: KEEPS_OUTPUT,
    option: 'stateDirectory',
  },
};

/** `storage.maxRunBytes` → `NACRE_STORAGE_MAX_RUN_BYTES`. */
export function toEnvironmentVariable(key: string): string {
  return `NACRE_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}
