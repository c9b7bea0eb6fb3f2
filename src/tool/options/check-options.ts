import { ownValue } from '../../engine/text/own-value.ts';
import { NacreError } from '../../errors.ts';
import { checkHosts } from '../hosts/check-host.ts';
import { describeValue } from '../input/describe-value.ts';
import { nearestName } from '../input/nearest-name.ts';
import type { ApprovalOptions, BashPolicyOptions, InterceptorOptions } from '../policy/policy-options.ts';
import type { Limits } from '../policy/state/budget.ts';
import type { AsyncOptions, AutoBackgroundOptions } from './async-options.ts';
import * as check from './check.ts';
import type { MinimizerOptions } from './minimizer-options.ts';
import type { BashOptions } from './options.ts';
import type { SecretOptions } from './secret-options.ts';
import type { StorageOptions } from './storage-options.ts';
import type { UrlOptions } from './url-options.ts';

interface Group {
  readonly group: Readonly<Record<string, Entry>>;
}

type Entry = check.Check | Group;

/** A new option does not compile until its table says what it takes. */
type Table<T> = { readonly [Key in keyof Required<T>]: Entry };

const AUTO_BACKGROUND: Table<AutoBackgroundOptions> = { enabled: check.flag, afterMs: check.wholeFrom(0) };

const ASYNC: Table<AsyncOptions> = {
  enabled: check.flag,
  maxJobs: check.wholeFrom(0),
  autoBackground: { group: AUTO_BACKGROUND },
};

const SECRETS: Table<SecretOptions> = {
  withhold: check.flag,
  allow: check.names,
  deny: check.names,
  grants: check.names,
  mask: check.names,
};

const STORAGE: Table<StorageOptions> = {
  maxRunBytes: check.wholeFrom(0),
  onFull: check.oneOf('drop_middle', 'stop'),
  maxTotalBytes: check.wholeFrom(0),
  maxAgeMs: check.wholeFrom(0),
  minFreeBytes: check.wholeFrom(0),
};

const CHECKS: Table<BashPolicyOptions['checks'] & object> = {
  no_blind_git_add: check.flag,
  no_force_push: check.flag,
  no_dangerous_rm: check.flag,
  no_system_directory_rm: check.flag,
};

const LIMITS: Table<Limits> = {
  maxLength: check.wholeFrom(1),
  maxDepth: check.wholeFrom(1),
  maxSteps: check.wholeFrom(1),
};

const INTERCEPTOR: Table<InterceptorOptions> = {
  enabled: check.flag,
  rules: check.records,
  mode: check.oneOf('block', 'warn', 'rewrite'),
  takeOver: check.functionOrNull,
};

const APPROVALS: Table<ApprovalOptions> = {
  rules: check.records,
  otherwise: check.oneOf('allow', 'ask', 'deny'),
  waitMs: check.wholeFrom(0, 86_400_000),
};

const POLICY: Table<BashPolicyOptions> = {
  enabled: check.flag,
  checks: { group: CHECKS },
  rules: check.records,
  homeSubpaths: check.oneOf('block', 'allow'),
  unreadable: check.oneOf('refuse', 'allow'),
  limits: { group: LIMITS },
  interceptor: { group: INTERCEPTOR },
  approvals: { group: APPROVALS },
};

const MINIMIZER: Table<MinimizerOptions> = {
  enabled: check.flag,
  only: check.names,
  except: check.names,
  condensers: check.records,
};

const URLS: Table<UrlOptions> = { skills: check.folders, schemes: check.resolvers };

const OPTIONS: Table<BashOptions> = {
  cwd: check.path,
  profile: check.oneOf('agent', 'modes', 'simple'),
  session: check.filledText,
  env: check.variables,
  inheritedEnv: check.inherited,
  ci: check.flag,
  virtualTerminal: check.oneOf('on', 'off'),
  shellPath: check.orNull(check.path),
  shellPathSource: check.anyText,
  shellPrefix: check.shellText,
  shellState: check.flag,
  shellSnapshot: check.flag,
  timeoutMs: check.wholeFrom(1),
  slowTimeoutMs: check.wholeFrom(1),
  jobTimeoutMs: check.wholeFrom(1),
  maxTimeoutMs: check.wholeFrom(1_000),
  graceMs: check.wholeFrom(0, 15_000),
  async: { group: ASYNC },
  liftLimits: check.flag,
  secrets: { group: SECRETS },
  storage: { group: STORAGE },
  urls: { group: URLS },
  stateDirectory: check.path,
  toolNames: check.names,
  minimizer: { group: MINIMIZER },
  policy: { group: POLICY },
  approve: check.functionOrNull,
  hooks: check.hookFunctions,
  serial: check.flag,
  readyShells: check.wholeFrom(0, 64),
  jobsAtExit: check.oneOf('keep', 'stop'),
  host: check.hostOrNull,
  hosts: check.hostTable,
  clientTerminals: check.terminalsOrNull,
  tracer: check.tracerOrNull,
  onJobEnd: check.functionOrNull,
};

/** Refuses what makes no sense. What is `undefined` counts as left out. */
export function checkOptions(options: unknown): asserts options is BashOptions {
  checkEntry({ option: '', entry: { group: OPTIONS }, value: options });
  checkHosts((options as BashOptions).hosts ?? {});
}

interface Checked {
  readonly option: string;
  readonly entry: Entry;
  readonly value: unknown;
}

function checkEntry({ option, entry, value }: Checked): void {
  if ('group' in entry) checkGroup(option, { group: entry.group, value });
  else if (!entry.accepts(value)) throw invalid(option, { expected: entry.expected, value });
}

function checkGroup(name: string, { group, value }: Group & { readonly value: unknown }): void {
  if (!check.isRecord(value)) throw invalid(name || 'options', { expected: 'an object', value });
  for (const [key, held] of Object.entries(value)) {
    const option = name === '' ? key : `${name}.${key}`;
    const entry = ownValue(group, key);
    if (entry === undefined) throw invalid(option, { expected: knownOption(key, group), value: held });
    if (held !== undefined) checkEntry({ option, entry, value: held });
  }
}

function knownOption(key: string, group: Group['group']): string {
  const meant = nearestName(key, Object.keys(group));
  return `an option there is${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

function invalid(option: string, { expected, value }: { expected: string; value: unknown }): NacreError {
  return new NacreError('option_invalid', { option, expected, received: describeValue(value) });
}
