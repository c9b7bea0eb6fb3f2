import { condenserRules } from './rule-types.ts';
import type { ProjectRight, Setting } from './setting.ts';
import { flag, names } from './setting-type.ts';

const HIDES_OUTPUT: ProjectRight = { never: 'it decides what a model does not see' };

/** How output that does not fit is made shorter. */
export const MINIMIZER_SETTINGS: Readonly<Record<string, Setting>> = {
  'shellMinimizer.enabled': {
    type: flag,
    default: 'true',
    help: 'Whether the dull lines of known commands are left out of output that does not fit',
    project: 'may',
    option: 'minimizer.enabled',
  },
  'shellMinimizer.only': {
    type: names,
    default: 'none',
    help: 'Only these condensers, by name; none named: all of them',
    project: 'may',
    option: 'minimizer.only',
  },
  'shellMinimizer.except': {
    type: names,
    default: 'none',
    help: 'All condensers but these',
    project: 'may',
    option: 'minimizer.except',
  },
  'shellMinimizer.condensers': {
    type: condenserRules,
    default: 'none',
    help: 'Condensers of your own, for commands of your own',
    project: HIDES_OUTPUT,
    option: 'minimizer.condensers',
  },
};
