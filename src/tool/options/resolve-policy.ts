import { DEFAULT_CHECKS } from '../policy/default-checks.ts';
import type { BashPolicyOptions } from '../policy/policy-options.ts';
import type { ResolvedOptions } from './resolved-options.ts';
import { withoutUndefined } from './without-undefined.ts';

/** Approvals stay away unless they were asked for: with them every command has to be read. */
export function resolvePolicy(options: BashPolicyOptions, enabled: boolean): ResolvedOptions['policy'] {
  const given = withoutUndefined(options);
  return {
    enabled,
    homeSubpaths: 'block',
    unreadable: 'refuse',
    ...given,
    // One that is `undefined` would turn a check or a limit off.
    checks: { ...DEFAULT_CHECKS, ...withoutUndefined(given.checks ?? {}) },
    limits: withoutUndefined(given.limits ?? {}),
    interceptor: { enabled: false, mode: 'block', ...withoutUndefined(given.interceptor ?? {}) },
  };
}
