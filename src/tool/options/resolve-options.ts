import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BashPolicyOptions, DEFAULT_POLICY_CHECKS } from '../contract/policy-options.ts';
import type {
  AsyncOptions,
  BashOptions,
  ProfileName,
  ResolvedOptions,
  StorageOptions,
} from './bash-options.ts';
import { checkOptions } from './check-options.ts';
import { checkMinimizer, type MinimizerOptions } from './minimizer-options.ts';

const GIB = 1024 ** 3;

interface ProfileDefaults {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly withhold: boolean;
  readonly policy: boolean;
  readonly shellState: boolean;
}

/** What differs from profile to profile when nothing else is said. */
const PROFILE_DEFAULTS: Readonly<Record<ProfileName, ProfileDefaults>> = {
  agent: { timeoutMs: 300_000, graceMs: 2_000, withhold: true, policy: true, shellState: true },
  modes: { timeoutMs: 30_000, graceMs: 15_000, withhold: true, policy: true, shellState: false },
  simple: { timeoutMs: 30_000, graceMs: 2_000, withhold: false, policy: false, shellState: false },
};

const STORAGE_DEFAULTS: Required<StorageOptions> = {
  maxRunBytes: GIB,
  onFull: 'drop_middle',
  maxTotalBytes: 8 * GIB,
  maxAgeMs: 7 * 24 * 3_600_000,
  minFreeBytes: GIB / 16,
};

/** Fills in defaults and rejects what makes no sense, before anything is started. */
export function resolveOptions(options: BashOptions = {}): ResolvedOptions {
  checkOptions(options);
  const given = omitUndefined(options);
  const profile = given.profile ?? 'agent';
  const { timeoutMs, graceMs, withhold, policy, shellState } = PROFILE_DEFAULTS[profile];
  const inheritedEnv = omitUndefined(given.inheritedEnv ?? process.env) as Readonly<Record<string, string>>;
  return {
    profile,
    // Loading this costs milliseconds, so only who names no session pays for it.
    session: options.session ?? `s-${crypto.randomUUID()}`,
    env: {},
    ci: true,
    virtualTerminal: 'off',
    shellPath: null,
    shellPathSource: 'the option shellPath',
    shellPrefix: '',
    shellState,
    shellSnapshot: true,
    timeoutMs,
    slowTimeoutMs: 900_000,
    jobTimeoutMs: 86_400_000,
    maxTimeoutMs: 3_600_000,
    graceMs,
    liftLimits: false,
    toolNames: [],
    hooks: {},
    serial: false,
    readyShells: 2,
    jobsAtExit: 'keep',
    host: null,
    hosts: {},
    clientTerminals: null,
    tracer: null,
    onJobEnd: null,
    approve: null,
    ...given,
    cwd: resolve(given.cwd ?? process.cwd()),
    inheritedEnv,
    stateDirectory: resolve(given.stateDirectory ?? defaultStateDirectory(inheritedEnv)),
    async: resolveAsync(given.async),
    secrets: {
      withhold,
      allow: [],
      deny: [],
      grants: [],
      mask: [],
      ...omitUndefined(given.secrets ?? {}),
    },
    policy: resolvePolicy(given.policy ?? {}, policy),
    minimizer: resolveMinimizer(given.minimizer),
    storage: { ...STORAGE_DEFAULTS, ...omitUndefined(given.storage ?? {}) },
    urls: { skills: {}, schemes: {}, ...omitUndefined(given.urls ?? {}) },
  };
}

function resolveAsync({ autoBackground, ...given }: AsyncOptions = {}): ResolvedOptions['async'] {
  return {
    enabled: true,
    maxJobs: 64,
    ...omitUndefined(given),
    autoBackground: { enabled: true, afterMs: 60_000, ...omitUndefined(autoBackground ?? {}) },
  };
}

/** A condenser that makes no sense is said here, not when an output does not fit. */
function resolveMinimizer(given: MinimizerOptions = {}): Required<MinimizerOptions> {
  const minimizer = { enabled: true, only: [], except: [], condensers: [], ...omitUndefined(given) };
  checkMinimizer(minimizer);
  return minimizer;
}

/** Where runs, sessions and the log live when nobody says otherwise. */
export function defaultStateDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_STATE_HOME;
  // The XDG specification: a relative path is to be ignored.
  if (base?.startsWith('/')) return join(base, 'nacre');
  return join(env.HOME || homedir(), '.local/state/nacre');
}

/** How long a question waits when nobody says otherwise. */
const DEFAULT_APPROVAL_WAIT_MS = 300_000;

export function resolvePolicy(options: BashPolicyOptions, enabled: boolean): ResolvedOptions['policy'] {
  const given = omitUndefined(options);
  return {
    enabled,
    homeSubpaths: 'block',
    unreadable: 'refuse',
    ...given,
    // One that is `undefined` would turn a check or a limit off.
    checks: { ...DEFAULT_POLICY_CHECKS, ...omitUndefined(given.checks ?? {}) },
    limits: omitUndefined(given.limits ?? {}),
    approvals: {
      rules: [],
      otherwise: 'allow',
      waitMs: DEFAULT_APPROVAL_WAIT_MS,
      ...omitUndefined(given.approvals ?? {}),
    },
    interceptor: { enabled: false, mode: 'block', ...omitUndefined(given.interceptor ?? {}) },
  };
}

/** What is `undefined` counts as left out. */
export function omitUndefined<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
