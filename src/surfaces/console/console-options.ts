import type { Artifacts, Bash } from '../../index.ts';
import type { Device } from './screen/device.ts';
import type { Theme } from './screen/theme.ts';

/** Everything a console needs to know. */
export interface ConsoleOptions {
  readonly version: string;
  readonly device: Device;
  readonly theme: Theme;
  /** Whether the theme follows what the terminal says of its ground. */
  readonly mayAdapt: boolean;
  /** The tool as a model has it. */
  readonly bash: Bash;
  /** The same for what the person runs with `!`. */
  readonly person: Bash;
  /** Of both of them. */
  readonly artifacts: Artifacts;
  /** `null`: it is forgotten at the end. */
  readonly historyFile: string | null;
  readonly place: { readonly host: string | null; readonly home: string; readonly searchPath: string };
  /** Where the next command starts. */
  readonly cwd: () => string;
  readonly liveJobs: () => number;
}
