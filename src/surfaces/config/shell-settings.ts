import type { Setting } from './setting.ts';
import { flag } from './setting-type.ts';

/** What a new shell knows of the one before it, and of the user's own. */
export const SHELL_SETTINGS: Readonly<Record<string, Setting>> = {
  shellState: {
    type: flag,
    default: 'true; false in modes and simple',
    help: 'Whether what a command changes in its shell is there in the next call of the session',
    project: 'may',
    option: 'shellState',
  },
  shellSnapshot: {
    type: flag,
    default: 'true',
    help: 'Whether a session that keeps its shell has your functions, aliases, options and PATH',
    project: { only: [false] },
    option: 'shellSnapshot',
  },
};
