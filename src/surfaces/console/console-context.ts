import type { Artifacts, Bash } from '../../index.ts';
import type { CallRunner } from './call-runner.ts';
import type { Theme } from './screen/styled-row.ts';
import type { TerminalDevice } from './screen/terminal-device.ts';
import type { CallCard } from './views/call-card.ts';
import type { Panel } from './views/panel.ts';
import type { Transcript } from './views/transcript.ts';

/** The dependencies of the console. */
export interface ConsoleOptions {
  readonly version: string;
  readonly device: TerminalDevice;
  readonly theme: Theme;
  /** Whether the theme follows the background colour that the terminal reports. */
  readonly mayAdapt: boolean;
  /** The tool with the options for a model. */
  readonly bash: Bash;
  /** The tool for `!` commands. */
  readonly person: Bash;
  /** Artifacts of both tools. */
  readonly artifacts: Artifacts;
  /** `null`: the history is not saved. */
  readonly historyFile: string | null;
  readonly environment: { readonly host: string | null; readonly home: string; readonly searchPath: string };
  /** The start directory of the next command. */
  readonly cwd: () => string;
  readonly liveJobs: () => number;
}

/** The operations that input lines and panels may use. */
export interface ConsoleContext {
  readonly options: ConsoleOptions;
  readonly transcript: Transcript;
  readonly calls: CallRunner;
  readonly refresh: () => void;
  addNote(text: string, tone?: 'dim' | 'warn' | 'bad' | 'accent'): void;
  pushPanel(layer: Panel): void;
  removePanel(layer: Panel): void;
  openArtifact(name: string): void;
  openJobs(): void;
  currentCall(): { readonly id: number; readonly card: CallCard } | null;
  quit(): void;
}
