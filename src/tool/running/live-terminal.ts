import type { Run } from '../../engine/hosts/host.ts';
import type { RawSource } from '../../engine/output/kept/source.ts';
import type { TerminalSize } from '../../engine/run/supervise/terminal.ts';
import type { LiveTerminal } from '../call-options.ts';

/** What a person has read on a terminal, as an output like any other. */
export interface ScreenRead {
  readonly source: RawSource;
  readonly notes: readonly string[];
}

/** The terminal of a run that somebody shows, and its size by now. */
export class ShownTerminal {
  readonly handle: LiveTerminal;
  #size: TerminalSize;

  constructor(run: Run, size: TerminalSize) {
    this.#size = size;
    this.handle = {
      runId: run.id,
      send: (bytes) => run.send(bytes),
      resize: async (next) => {
        await run.resize(next);
        this.#size = next;
      },
    };
  }

  /** Drawn at the size it has now: a program draws itself again after a change, and lines are wrapped where they were. */
  async read(out: RawSource): Promise<ScreenRead> {
    const { toScreenText } = await import('../terminal/replay.ts');
    return toScreenText(out, this.#size);
  }
}
