import { ownProperty } from '../../engine/text/own-property.ts';
import { NacreError } from '../../errors.ts';
import type {
  ApprovalOptions,
  BashPolicyOptions,
  InterceptorOptions,
  PolicyLimits,
} from '../contract/policy-options.ts';
import { describeValue, findNearestName } from '../contract/value-errors.ts';
import type {
  AsyncOptions,
  AutoBackgroundOptions,
  BashOptions,
  SecretOptions,
  StorageOptions,
  UrlOptions,
} from './bash-options.ts';
import { checkHostConfigs } from './host-config.ts';
import type { MinimizerOptions } from './minimizer-options.ts';
import * as check from './option-checks.ts';

interface OptionGroup {
  readonly group: Readonly<Record<string, OptionEntry>>;
}

type OptionEntry = check.OptionCheck | OptionGroup;

/** A new option does not compile until its table says what it takes. */
type OptionTable<T> = { readonly [Key in keyof Required<T>]: OptionEntry };

const AUTO_BACKGROUND: OptionTable<AutoBackgroundOptions> = {
  enabled: check.flag,
  afterMs: check.integerFrom(0),
};

const ASYNC: OptionTable<AsyncOptions> = {
  enabled: check.flag,
  maxJobs: check.integerFrom(0),
  autoBackground: { group: AUTO_BACKGROUND },
};

const SECRETS: OptionTable<SecretOptions> = {
  withhold: check.flag,
  allow: check.stringList,
  deny: check.stringList,
  grants: check.stringList,
  mask: check.stringList,
};

const STORAGE: OptionTable<StorageOptions> = {
  maxRunBytes: check.integerFrom(0),
  onFull: check.oneOf('drop_middle', 'stop'),
  maxTotalBytes: check.integerFrom(0),
  maxAgeMs: check.integerFrom(0),
  minFreeBytes: check.integerFrom(0),
};

const CHECKS: OptionTable<BashPolicyOptions['checks'] & object> = {
  no_blind_git_add: check.flag,
  no_force_push: check.flag,
  no_dangerous_rm: check.flag,
  no_system_directory_rm: check.flag,
};

const LIMITS: OptionTable<PolicyLimits> = {
  maxLength: check.integerFrom(1),
  maxDepth: check.integerFrom(1),
  maxSteps: check.integerFrom(1),
};

const INTERCEPTOR: OptionTable<InterceptorOptions> = {
  enabled: check.flag,
  rules: check.objectList,
  mode: check.oneOf('block', 'warn', 'rewrite'),
  takeOver: check.functionOrNull,
};

const APPROVALS: OptionTable<ApprovalOptions> = {
  rules: check.objectList,
  otherwise: check.oneOf('allow', 'ask', 'deny'),
  waitMs: check.integerFrom(0, 86_400_000),
};

const POLICY: OptionTable<BashPolicyOptions> = {
  enabled: check.flag,
  checks: { group: CHECKS },
  rules: check.objectList,
  homeSubpaths: check.oneOf('block', 'allow'),
  unreadable: check.oneOf('refuse', 'allow'),
  limits: { group: LIMITS },
  interceptor: { group: INTERCEPTOR },
  approvals: { group: APPROVALS },
};

const MINIMIZER: OptionTable<MinimizerOptions> = {
  enabled: check.flag,
  only: check.stringList,
  except: check.stringList,
  condensers: check.objectList,
};

const URLS: OptionTable<UrlOptions> = { skills: check.absolutePaths, schemes: check.urlResolvers };

const OPTIONS: OptionTable<BashOptions> = {
  cwd: check.path,
  profile: check.oneOf('agent', 'modes', 'simple'),
  session: check.nonEmptyText,
  env: check.shellVariables,
  inheritedEnv: check.environment,
  ci: check.flag,
  virtualTerminal: check.oneOf('on', 'off'),
  shellPath: check.orNull(check.path),
  shellPathSource: check.anyText,
  shellPrefix: check.textWithoutNul,
  shellState: check.flag,
  shellSnapshot: check.flag,
  timeoutMs: check.integerFrom(1),
  slowTimeoutMs: check.integerFrom(1),
  jobTimeoutMs: check.integerFrom(1),
  maxTimeoutMs: check.integerFrom(1_000),
  graceMs: check.integerFrom(0, 15_000),
  async: { group: ASYNC },
  liftLimits: check.flag,
  secrets: { group: SECRETS },
  storage: { group: STORAGE },
  urls: { group: URLS },
  stateDirectory: check.path,
  toolNames: check.stringList,
  minimizer: { group: MINIMIZER },
  policy: { group: POLICY },
  approve: check.functionOrNull,
  hooks: check.hookFunctions,
  serial: check.flag,
  readyShells: check.integerFrom(0, 64),
  jobsAtExit: check.oneOf('keep', 'stop'),
  host: check.hostOrNull,
  hosts: check.hostTable,
  clientTerminals: check.clientTerminalsOrNull,
  tracer: check.tracerOrNull,
  onJobEnd: check.functionOrNull,
};

/** Refuses what makes no sense. What is `undefined` counts as left out. */
export function checkOptions(options: unknown): asserts options is BashOptions {
  checkEntry({ option: '', entry: { group: OPTIONS }, value: options });
  checkHostConfigs((options as BashOptions).hosts ?? {});
}

interface CheckedOption {
  readonly option: string;
  readonly entry: OptionEntry;
  readonly value: unknown;
}

function checkEntry({ option, entry, value }: CheckedOption): void {
  if ('group' in entry) checkGroup(option, { group: entry.group, value });
  else if (!entry.accepts(value)) throw invalidOption(option, { expected: entry.expected, value });
}

function checkGroup(name: string, { group, value }: OptionGroup & { readonly value: unknown }): void {
  if (!check.isRecord(value)) throw invalidOption(name || 'options', { expected: 'an object', value });
  for (const [key, held] of Object.entries(value)) {
    const option = name === '' ? key : `${name}.${key}`;
    const entry = ownProperty(group, key);
    if (entry === undefined)
      throw invalidOption(option, { expected: renderUnknownOption(key, group), value: held });
    if (held !== undefined) checkEntry({ option, entry, value: held });
  }
}

function renderUnknownOption(key: string, group: OptionGroup['group']): string {
  const meant = findNearestName(key, Object.keys(group));
  return `an option there is${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

function invalidOption(
  option: string,
  { expected, value }: { expected: string; value: unknown },
): NacreError {
  return new NacreError('option_invalid', { option, expected, received: describeValue(value) });
}
