import { createPolicy } from './policy.ts';
import type { BashPolicyOptions } from './policy-options.ts';

/**
 * Says what is wrong with the rules of a policy, as `createBash` would.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkPolicy(policy: BashPolicyOptions): void {
  createPolicy(policy);
}
