import { homedir } from 'node:os';
import { join } from 'node:path';
import * as check from '../../validator.ts';
import { checkPolicy } from '../approvals/create-policy.ts';
import {
  type ApprovalRule,
  DEFAULT_POLICY_CHECKS,
  DEFAULT_POLICY_LIMITS,
  type InterceptorRule,
  type PolicyRule,
} from '../contract/policy-options.ts';
import type { BashOptions, ProfileName } from './bash-options.ts';
import { checkHostConfigs, type HostConfig } from './host-config.ts';
import { type CondenserRule, checkMinimizer } from './minimizer-options.ts';

/** What a default may depend on. */
export interface DefaultContext {
  readonly profile: ProfileName;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the settings file of a project, which may come from anybody, can do with a setting. */
export type ProjectAccess =
  | 'any value'
  /** Only the values that make nothing less safe. */
  | { readonly only: readonly unknown[] }
  | { readonly never: string };

/** How the command line names the value of an option and describes its flag. */
export interface OptionFlag {
  readonly value: string;
  readonly help: string;
}

/** The one declaration of an option: validation, default, settings, variable, flag and documentation come from it. */
export interface OptionRow<T = unknown> {
  readonly check: check.Check<T>;
  /** The check for a settings file or variable, where it is stricter. */
  readonly settingCheck?: check.Check<T>;
  readonly default: T | undefined | ((context: DefaultContext) => T);
  /** The default in words, where its value does not say it. */
  readonly defaultText?: string;
  /** One sentence for the settings reference and `nacre doctor`. */
  readonly help: string;
  /** Absent for an option that only a program can set: it is then no setting and has no variable. */
  readonly project?: ProjectAccess;
  /** Further settings keys. */
  readonly aliases?: readonly string[];
  /** Further variables, and the value that each of them sets unless it is empty or `0`. */
  readonly variables?: Readonly<Record<string, T>>;
  readonly flag?: OptionFlag;
}

/** Options that belong together, as one object. */
export interface OptionGroup<T> {
  readonly group: OptionTable<T>;
}

/** One row for each option of an interface: an option without a row, or with a row of another type, does not compile. */
export type OptionTable<T> = {
  readonly [Name in keyof Required<T>]:
    | OptionRow<Exclude<T[Name], undefined>>
    | OptionGroup<Exclude<T[Name], undefined>>;
};

const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;

const RUNS_CODE: ProjectAccess = { never: 'it decides what is executed' };
const CONTROLS_STORAGE: ProjectAccess = { never: 'it decides which output is stored and deleted' };
const EXPOSES_SECRETS: ProjectAccess = { never: 'it gives secrets to commands' };
const RAISES_LIMIT: ProjectAccess = { never: 'it raises a limit' };
const HIDES_OUTPUT: ProjectAccess = { never: 'it decides which output a model sees' };
const CHOOSES_HOST: ProjectAccess = { never: 'it decides where commands run and how they are isolated' };
const CHOOSES_RULES: ProjectAccess = { never: 'it decides which commands may run' };

function byProfile<T>(values: Readonly<Record<ProfileName, T>>): (context: DefaultContext) => T {
  return ({ profile }) => values[profile];
}

function rulesOf<T>(fields: readonly string[], words: string): check.Check<readonly T[]> {
  return check.listOf(
    `a list of objects with ${words}`,
    (entry): entry is T => check.isRecord(entry) && fields.every((field) => check.isText(entry[field])),
  );
}

const interceptorRules: check.Check<readonly InterceptorRule[]> = {
  ...rulesOf(['pattern', 'tool', 'message'], 'pattern, tool and message'),
  validate: (rules) => checkPolicy({ interceptor: { rules } }),
};
const approvalRules: check.Check<readonly ApprovalRule[]> = {
  ...rulesOf(['action'], 'action, and prefix or pattern'),
  validate: (rules) => checkPolicy({ approvals: { rules } }),
};
const condensers: check.Check<readonly CondenserRule[]> = {
  ...rulesOf(['name'], 'name, commands and drop'),
  validate: (rules) => checkMinimizer({ condensers: rules }),
};
const objectList = check.listOf('a list of objects', (entry): entry is PolicyRule => check.isRecord(entry));
const hosts: check.Check<Readonly<Record<string, HostConfig>>> = {
  ...check.mapOf('an object of host names and hosts', () => true),
  validate: checkHostConfigs,
};
const hostOrName: check.Check<NonNullable<BashOptions['host']>> = {
  expected: 'the name of a host, a host',
  accepts: (value): value is NonNullable<BashOptions['host']> =>
    check.path.accepts(value) || check.objectWith('', 'start', 'close').accepts(value),
};

/** The directory for runs, sessions and the log when `stateDirectory` is not set. */
export function defaultStateDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_STATE_HOME;
  // The XDG specification: a relative path is to be ignored.
  if (base?.startsWith('/')) return join(base, 'nacre');
  return join(env.HOME || homedir(), '.local/state/nacre');
}

/** Every option of `createBash`, in the order of the settings reference. */
export const OPTION_TABLE: OptionTable<BashOptions> = {
  settings: {
    check: {
      expected: "'auto', false or the path of a settings file",
      accepts: (value): value is 'auto' | false | string => value === false || check.path.accepts(value),
    },
    default: 'auto',
    help: 'Which settings the library reads',
  },
  cwd: {
    check: check.path,
    default: () => process.cwd(),
    help: 'Directory in which commands start',
    flag: { value: '<dir>', help: 'Start commands in this directory' },
  },
  profile: {
    check: check.oneOf('agent', 'modes', 'simple'),
    default: 'agent',
    help: 'Tool contract that a model sees',
    project: { only: ['agent', 'modes'] },
    flag: { value: '<name>', help: 'Use this contract: agent, modes or simple (default: agent)' },
  },
  session: {
    check: check.nonEmptyText,
    // Loading node:crypto takes milliseconds, so only an instance without a session name does it.
    default: () => `s-${crypto.randomUUID()}`,
    help: 'Session that owns artifacts, jobs and shell state',
    flag: { value: '<name>', help: 'Let artifacts and jobs belong to this session (default: a new one)' },
  },
  env: {
    check: check.mapOf(
      'an object of variable names and texts without NUL',
      (entry, name) => /^[A-Za-z_]\w*$/.test(name) && check.textWithoutNul.accepts(entry),
    ),
    default: {},
    help: 'Variables of the session',
  },
  inheritedEnv: {
    check: check.mapOf('an object of texts', (entry) => entry === undefined || check.isText(entry)),
    default: ({ env }) => env,
    help: 'Environment that commands inherit',
  },
  shellPath: {
    check: check.orNull(check.path),
    settingCheck: check.absolutePath,
    default: null,
    defaultText: 'the first bash found',
    help: 'Bash that runs commands, 4.4 or newer',
    project: RUNS_CODE,
  },
  shellPrefix: {
    check: check.textWithoutNul,
    default: '',
    help: 'Shell text that is inserted before every command',
    project: RUNS_CODE,
  },
  timeoutMs: {
    check: check.milliseconds(1),
    default: byProfile({ agent: 300_000, modes: 30_000, simple: 30_000 }),
    help: 'Time limit of a command whose call sets none',
    project: 'any value',
  },
  slowTimeoutMs: {
    check: check.milliseconds(1),
    default: 900_000,
    help: 'Time limit for mode "slow" of the profile modes',
    project: 'any value',
  },
  jobTimeoutMs: {
    check: check.milliseconds(1),
    default: DAY_MS,
    help: 'Time limit of a job whose call sets none',
    project: RAISES_LIMIT,
  },
  maxTimeoutMs: {
    check: check.milliseconds(1_000),
    default: 3_600_000,
    help: 'Longest time limit that a call may ask for',
    project: RAISES_LIMIT,
  },
  graceMs: {
    check: check.milliseconds(0, 15_000),
    default: byProfile({ agent: 2_000, modes: 15_000, simple: 2_000 }),
    help: 'Time between SIGTERM and SIGKILL when a command is stopped',
    project: 'any value',
  },
  async: {
    group: {
      enabled: {
        check: check.boolean,
        default: true,
        help: 'Whether a model may start jobs',
        project: { only: [false] },
      },
      maxJobs: {
        check: check.integer(0),
        default: 64,
        help: 'Largest number of running jobs in a session',
        project: RAISES_LIMIT,
      },
      autoBackground: {
        group: {
          enabled: {
            check: check.boolean,
            default: true,
            help: 'Whether a command that runs longer than its wait continues as a job; profile agent only',
            project: 'any value',
            aliases: ['bash.autoBackground.enabled'],
          },
          afterMs: {
            check: check.milliseconds(0),
            default: 60_000,
            help: 'Wait of a call that sets none, before its command continues as a job',
            project: 'any value',
            aliases: ['bash.autoBackground.thresholdMs'],
          },
        },
      },
    },
  },
  liftLimits: {
    check: check.boolean,
    default: false,
    help: 'Use a trailing "| head -n N" or "| tail -n N" as a limit of the view instead of running it',
    project: 'any value',
  },
  serial: {
    check: check.boolean,
    default: false,
    help: 'Run one call at a time',
    project: 'any value',
  },
  readyShells: {
    check: check.integer(0, 64),
    default: 2,
    help: 'Number of shells started in advance; 0 starts none',
    project: { never: 'it starts processes' },
  },
  jobsAtExit: {
    check: check.oneOf('keep', 'stop'),
    default: 'keep',
    help: 'Whether jobs continue or are stopped when the program that started them exits',
    project: { only: ['stop'] },
  },
  ci: {
    check: check.boolean,
    default: true,
    help: 'Whether commands get CI=true',
    project: 'any value',
    variables: { NACRE_NO_CI: false, PI_BASH_NO_CI: false },
  },
  virtualTerminal: {
    check: check.oneOf('on', 'off'),
    default: 'off',
    help: 'Whether calls of a caller that can show a terminal run on one by default',
    project: 'any value',
    aliases: ['bash.virtualTerminal'],
  },
  secrets: {
    group: {
      withhold: {
        check: check.boolean,
        default: byProfile({ agent: true, modes: true, simple: false }),
        help: 'Whether variables that look like secrets are removed from the environment of commands',
        project: { only: [true] },
      },
      allow: {
        check: check.nameList,
        default: [],
        help: 'Variables that are no secrets; * matches any text',
        project: EXPOSES_SECRETS,
      },
      deny: {
        check: check.nameList,
        default: [],
        help: 'Further variables that are secrets; * matches any text',
        project: 'any value',
      },
      grants: {
        check: check.nameList,
        default: [],
        help: 'Secrets that commands get; their values are masked in output',
        project: EXPOSES_SECRETS,
      },
      mask: { check: check.textList, default: [], help: 'Further values that are masked in output' },
    },
  },
  storage: {
    group: {
      maxRunBytes: {
        check: check.byteSize,
        default: GIB,
        help: 'Output stored for one run; 0 stores none',
        project: CONTROLS_STORAGE,
      },
      onFull: {
        check: check.oneOf('drop_middle', 'stop'),
        default: 'drop_middle',
        help: 'At that limit: drop the middle of the output, or stop the run',
        project: CONTROLS_STORAGE,
      },
      maxTotalBytes: {
        check: check.byteSize,
        default: 8 * GIB,
        help: 'Output stored for all ended runs; the oldest are deleted first',
        project: CONTROLS_STORAGE,
      },
      maxAgeMs: {
        check: check.milliseconds(0),
        default: 7 * DAY_MS,
        help: 'Time after which an ended run is deleted',
        project: CONTROLS_STORAGE,
      },
      minFreeBytes: {
        check: check.byteSize,
        default: GIB / 16,
        help: 'Free disk space below which no run starts',
        project: CONTROLS_STORAGE,
      },
    },
  },
  shellState: {
    check: check.boolean,
    default: byProfile({ agent: true, modes: false, simple: false }),
    help: 'Whether directory, variables, functions and options of a session persist between calls',
    project: 'any value',
  },
  shellSnapshot: {
    check: check.boolean,
    default: true,
    help: 'Whether such a session has the functions, aliases, options and PATH of your own shell',
    project: { only: [false] },
  },
  output: {
    group: {
      maxBytes: {
        // The upper bound is what the output window in memory can show when no output is stored.
        check: check.byteSizeWithin(1024, 192 * 1024),
        default: 50 * 1024,
        help: 'Output that a result of the profile agent or of the job tool shows',
        project: 'any value',
        flag: { value: '<n>', help: 'Show at most this much output, such as 10KiB (default: 50KiB)' },
      },
    },
  },
  minimizer: {
    group: {
      enabled: {
        check: check.boolean,
        default: true,
        help: 'Whether output of known commands that does not fit is condensed',
        project: 'any value',
        aliases: ['shellMinimizer.enabled'],
      },
      only: {
        check: check.nameList,
        default: [],
        help: 'Condensers to use, by name; empty for all',
        project: 'any value',
        aliases: ['shellMinimizer.only'],
      },
      except: {
        check: check.nameList,
        default: [],
        help: 'Condensers not to use, by name',
        project: 'any value',
        aliases: ['shellMinimizer.except'],
      },
      condensers: {
        check: condensers,
        default: [],
        help: 'Further condensers',
        project: HIDES_OUTPUT,
        aliases: ['shellMinimizer.condensers'],
      },
    },
  },
  host: {
    check: check.orNull(hostOrName),
    settingCheck: check.textThat('the name of a host', (name) => check.path.accepts(name)),
    default: null,
    defaultText: 'local',
    help: 'Where commands run: local, sandbox, ssh:<destination>, or a name in hosts',
    project: CHOOSES_HOST,
    flag: {
      value: '<host>',
      help: 'Run commands there: sandbox, ssh:<destination>, or a host of the settings',
    },
  },
  hosts: { check: hosts, default: {}, help: 'Hosts by name', project: CHOOSES_HOST },
  toolNames: {
    check: check.nameList,
    default: [],
    help: 'Other tools that a model has: the interceptor suggests only these',
    project: 'any value',
  },
  policy: {
    group: {
      enabled: {
        check: check.boolean,
        default: byProfile({ agent: true, modes: true, simple: false }),
        help: 'Whether commands are checked before they run',
        project: { only: [true] },
      },
      checks: {
        group: {
          no_blind_git_add: policyCheck('no_blind_git_add', 'Refuse to add all files to git at once'),
          no_force_push: policyCheck('no_force_push', 'Refuse to overwrite pushed commits'),
          no_dangerous_rm: policyCheck(
            'no_dangerous_rm',
            'Refuse to delete a repository, the home directory or the root directory',
          ),
          no_system_directory_rm: policyCheck(
            'no_system_directory_rm',
            'Refuse to delete system directories',
          ),
        },
      },
      rules: { check: objectList, default: [], help: 'Further checks, as functions' },
      homeSubpaths: {
        check: check.oneOf('block', 'allow'),
        default: 'block',
        help: 'Whether deleting a directory below ~ is refused, or only deleting ~',
        project: { only: ['block'] },
      },
      unreadable: {
        check: check.oneOf('refuse', 'allow'),
        default: 'refuse',
        help: 'Verdict for a command that bash can parse and the policy cannot',
        project: { only: ['refuse'] },
      },
      limits: {
        group: {
          maxLength: policyLimit('maxLength', 'Longest command that is checked, in characters'),
          maxDepth: policyLimit('maxDepth', 'Deepest nesting of scripts and wrappers that is checked'),
          maxSteps: policyLimit('maxSteps', 'Largest number of evaluation steps for one command'),
        },
      },
      interceptor: {
        group: {
          enabled: {
            check: check.boolean,
            default: false,
            help: 'Whether a command for which another tool is better is refused with the name of that tool',
            project: 'any value',
            aliases: ['bashInterceptor.enabled'],
          },
          mode: {
            check: check.oneOf('block', 'warn', 'rewrite'),
            default: 'block',
            help: 'Refuse such a command, run it with a note, or call the other tool instead',
            project: { only: ['block'] },
            aliases: ['bashInterceptor.mode'],
          },
          rules: {
            check: interceptorRules,
            default: undefined,
            defaultText: 'the built-in rules',
            help: 'Which commands these are',
            project: CHOOSES_RULES,
            aliases: ['bashInterceptor.patterns'],
          },
          takeOver: {
            check: check.orNull(check.functionOf()),
            default: null,
            help: 'Function that calls the other tool',
          },
        },
      },
      approvals: {
        group: {
          rules: {
            check: approvalRules,
            default: [],
            help: 'Which commands are allowed, need an approval or are denied; the first matching rule decides',
            project: CHOOSES_RULES,
          },
          otherwise: {
            check: check.oneOf('allow', 'ask', 'deny'),
            default: 'allow',
            help: 'Verdict for a command that no approval rule matches',
            project: { only: ['deny'] },
          },
          waitMs: {
            check: check.milliseconds(0, DAY_MS),
            default: 300_000,
            help: 'Time for an answer to a pending approval; after it, or with 0, the command is refused',
            project: 'any value',
          },
        },
      },
    },
  },
  stateDirectory: {
    check: check.path,
    settingCheck: check.absolutePath,
    default: ({ env }) => defaultStateDirectory(env),
    defaultText: '$XDG_STATE_HOME/nacre',
    help: 'Directory for runs, sessions and the log',
    project: CONTROLS_STORAGE,
  },
  urls: {
    group: {
      skills: {
        check: check.mapOf('an object of names and absolute folders', check.isAbsolute),
        default: {},
        help: 'Directories of skill:// URLs',
      },
      schemes: {
        check: check.mapOf(
          'an object of scheme names (a letter, then letters, digits, +, - or .) and functions',
          (entry, name) => /^[a-z][a-z0-9+.-]*$/.test(name) && check.isFunction(entry),
        ),
        default: {},
        help: 'Resolvers of further URL schemes',
      },
    },
  },
  approve: {
    check: check.orNull(check.functionOf()),
    default: null,
    help: 'Function that answers pending approvals',
  },
  hooks: {
    check: check.mapOf(
      'an object with the functions before and after, or one of them',
      (entry, name) => /^(?:before|after)$/.test(name) && (entry === undefined || check.isFunction(entry)),
    ),
    default: {},
    help: 'Functions before and after a run',
  },
  clientTerminals: {
    check: check.orNull(check.objectWith('an object with a function create,', 'create')),
    default: null,
    help: 'Terminals of the client in which commands run',
  },
  tracer: {
    check: check.orNull(check.objectWith('an object with a function startSpan,', 'startSpan')),
    default: null,
    help: 'OpenTelemetry tracer',
  },
  onJobEnd: {
    check: check.orNull(check.functionOf()),
    default: null,
    help: 'Function that is called when a job ends',
  },
};

/** Settings of servers: they share the settings files and are no options of `createBash`. */
export const SERVER_SETTINGS: Readonly<Record<string, OptionRow>> = {
  'mcp.client': {
    check: check.oneOf('auto', 'codex', 'claude-code', 'gemini-cli', 'other'),
    default: 'auto',
    help: 'MCP client for which results are shaped; auto for the one that the client names',
    project: 'any value',
  },
  'mcp.callLimitMs': {
    check: check.milliseconds(0),
    default: undefined,
    defaultText: "the client's own",
    help: 'Time the MCP client waits for a tool: before that a call continues as a job; 0 for no limit',
    project: 'any value',
  },
  'mcp.answeredElsewhereMs': {
    check: check.milliseconds(0, DAY_MS),
    default: 0,
    help: 'Time for an answer with nacre approvals when the MCP client cannot ask',
    project: 'any value',
  },
  'mcp.http.hosts': {
    check: check.nameList,
    default: [],
    help: 'Names besides localhost that Host and Origin may contain in requests to nacre mcp --http',
    project: { never: 'it opens the server to other names' },
  },
  'mcp.http.idleMs': {
    check: check.milliseconds(1_000),
    default: 1_800_000,
    help: 'Time after which nacre mcp --http closes an unused session; its jobs continue',
    project: 'any value',
  },
};

function policyCheck(name: keyof typeof DEFAULT_POLICY_CHECKS, help: string): OptionRow<boolean> {
  return { check: check.boolean, default: DEFAULT_POLICY_CHECKS[name], help, project: { only: [true] } };
}

function policyLimit(name: keyof typeof DEFAULT_POLICY_LIMITS, help: string): OptionRow<number> {
  return { check: check.integer(1), default: DEFAULT_POLICY_LIMITS[name], help };
}
