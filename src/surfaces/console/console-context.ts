import type { Artifacts, Bash } from '../../index.ts';
import type { CallRunner } from './call-runner.ts';
import type { TerminalApp, TerminalAppOptions } from './terminal-app.ts';
import type { CallCard } from './views/call-card.ts';
import type { Transcript } from './views/transcript.ts';

/** The dependencies of the console. */
export interface ConsoleOptions extends TerminalAppOptions {
  readonly version: string;
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
  readonly terminal: TerminalApp;
  addNote(text: string, tone?: 'dim' | 'warn' | 'bad' | 'accent'): void;
  openArtifact(name: string): void;
  openJobs(): void;
  currentCall(): { readonly id: number; readonly card: CallCard } | null;
  quit(): void;
}
