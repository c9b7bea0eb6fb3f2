import type { Calls } from './cards/calls.ts';
import type { CallCard } from './cards/card.ts';
import type { Transcript } from './cards/transcript.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { Layer } from './layer.ts';

/** What the console offers to whoever does what a line asks for. */
export interface Desk {
  readonly options: ConsoleOptions;
  readonly transcript: Transcript;
  readonly calls: Calls;
  readonly refresh: () => void;
  say(text: string, tone?: 'dim' | 'warn' | 'bad' | 'accent'): void;
  push(layer: Layer): void;
  remove(layer: Layer): void;
  open(name: string): void;
  openJobs(): void;
  current(): { readonly id: number; readonly card: CallCard } | null;
  quit(): void;
}
