import type { MinimizerOptions } from '../options/minimizer-options.ts';
import { checkNames, toCondensers } from './own-condenser.ts';

/**
 * Says what is wrong with condensers of one's own, or with names of condensers, as `createBash` would.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkMinimizer(minimizer: MinimizerOptions): void {
  toCondensers(minimizer.condensers ?? []);
  checkNames(minimizer);
}
