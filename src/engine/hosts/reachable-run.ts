import { endInput, sendInput } from '../run/supervise/input.ts';
import { resizeTerminal } from '../run/supervise/resize.ts';
import type { TerminalSize } from '../run/supervise/terminal.ts';

/** A run whose input and terminal are reached by its directory, whoever waits for it. */
export abstract class ReachableRun {
  abstract readonly id: string;
  abstract readonly directory: string;

  send(bytes: string | Buffer): Promise<void> {
    return sendInput(this, bytes);
  }

  endInput(): Promise<void> {
    return endInput(this);
  }

  resize(size: TerminalSize): Promise<void> {
    return resizeTerminal(this.directory, size);
  }
}
