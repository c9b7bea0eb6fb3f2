import { defaultStateDirectory } from '../../index.ts';
import { loadSettings } from '../config/load-settings.ts';
import { toOptions } from '../config/to-options.ts';
import { currentDirectory } from './current-directory.ts';

/** Where runs, sessions and the log of this user are. */
export function resolveStateDirectory(): string {
  const { env } = process;
  return (
    toOptions(loadSettings({ cwd: currentDirectory(), env })).stateDirectory ?? defaultStateDirectory(env)
  );
}
