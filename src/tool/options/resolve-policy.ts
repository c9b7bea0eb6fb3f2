import { DEFAULT_CHECKS } from '../policy/default-checks.ts';
import type { BashPolicyOptions } from '../policy/policy-options.ts';
import type { ResolvedOptions } from './resolved-options.ts';
import { withoutUndefined } from './without-undefined.ts';

/** How long a question waits when nobody says otherwise. */
const WAIT_MS = 300_000;

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
    approvals: { rules: [], otherwise: 'allow', waitMs: WAIT_MS, ...withoutUndefined(given.approvals ?? {}) },
    interceptor: { enabled: false, mode: 'block', ...withoutUndefined(given.interceptor ?? {}) },
  };
}
