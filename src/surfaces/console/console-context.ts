import type { Artifacts, Bash } from '../../index.ts';
import type { CallRunner } from './call-runner.ts';
import type { Theme } from './screen/styled-row.ts';
import type { TerminalDevice } from './screen/terminal-device.ts';
import type { CallCard } from './views/call-card.ts';
import type { Panel } from './views/panel.ts';
import type { Transcript } from './views/transcript.ts';

/** Everything a console needs to know. */
export interface ConsoleOptions {
  readonly version: string;
  readonly device: TerminalDevice;
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
  readonly environment: { readonly host: string | null; readonly home: string; readonly searchPath: string };
  /** Where the next command starts. */
  readonly cwd: () => string;
  readonly liveJobs: () => number;
}

/** What the console offers to whoever does what a line asks for. */
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
