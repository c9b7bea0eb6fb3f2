import type { Frame } from '../state/machine.ts';
import { storedText } from '../state/stored-file.ts';
import { isArray } from '../state/value.ts';
import type { Runner } from './runner.ts';

/** Variables whose value is a command that some program will run. */
export const HOLDS_CODE: ReadonlySet<string> = new Set([
  'PROMPT_COMMAND',
  'GIT_SSH_COMMAND',
  'GIT_SSH',
  'GIT_EDITOR',
  'GIT_SEQUENCE_EDITOR',
  'GIT_PAGER',
  'GIT_EXTERNAL_DIFF',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'MANPAGER',
  'BROWSER',
  'LESSOPEN',
  'RSYNC_RSH',
]);

/** Those whose value is the name of a file that a shell reads first. */
const HOLDS_FILE: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV']);

/** Runs the value of such a variable once it is assigned: nobody sets it for nothing. */
export function runCodeVariables(names: readonly string[], frame: Frame, runner: Runner): void {
  for (const name of names) {
    if (!HOLDS_CODE.has(name) && !HOLDS_FILE.has(name)) continue;
    const values = frame.state.get('variable', name)?.options ?? [];
    const texts = values.flatMap((value) => (isArray(value) ? [...value.items.values()] : [value]));
    const scripts = HOLDS_FILE.has(name) ? texts.flatMap((file) => storedText(file, frame.state)) : texts;
    runner.runTexts(scripts, {
      ...frame,
      state: frame.state.fork(),
      output: undefined,
      via: [...frame.via, name],
    });
  }
}
