import type { Run } from '../../engine/hosts/host.ts';
import type { RawOutput } from '../../engine/output/raw/raw-output.ts';
import type { TerminalPlan, TerminalSize } from '../../engine/run/run-terminal.ts';
import { DEFAULT_TERMINAL_SIZE } from '../../engine/run/run-terminal.ts';
import { findTerminalProgram } from '../../engine/shell/find-program.ts';
import type { CallOptions, LiveTerminal } from '../contract/call-options.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { CallRequest } from '../profiles/call-request.ts';

/** Either of them keeps everybody from having a terminal. */
const NO_TERMINAL_VARIABLES = ['NACRE_NO_PTY', 'PI_NO_PTY'] as const;

export interface PlannedTerminal {
  /** `null`: the command runs without one. */
  readonly terminal: TerminalPlan | null;
  /** Why there is none though one was asked for. */
  readonly notes: readonly string[];
}

const NO_TERMINAL: PlannedTerminal = { terminal: null, notes: [] };

export interface TerminalContext {
  readonly options: ResolvedOptions;
  readonly call: CallOptions;
  /** Whether the command runs in a sandbox or on another machine. */
  readonly isSandboxedOrRemote: boolean;
}

/** Whether a call gets a terminal: when it asks for one, somebody can show or drive it, and the machine can make it. */
export function planTerminal(
  { pty, background }: CallRequest,
  { options, call, isSandboxedOrRemote }: TerminalContext,
): PlannedTerminal {
  const isWanted = pty || (options.virtualTerminal === 'on' && call.terminal !== undefined);
  if (!isWanted) return NO_TERMINAL;
  const program = findTerminalProgram();
  const obstacle = isSandboxedOrRemote
    ? 'there are none on this host.'
    : findTerminalObstacle({ background, options, call, program });
  if (obstacle !== null || program === null)
    return { terminal: null, notes: pty ? [`Ran without a terminal: ${obstacle}`] : [] };
  const { columns, rows } = call.terminal ?? DEFAULT_TERMINAL_SIZE;
  return { terminal: { columns, rows, program }, notes: [] };
}

interface TerminalConditions {
  readonly background: boolean;
  readonly options: ResolvedOptions;
  readonly call: CallOptions;
  readonly program: string | null;
}

function findTerminalObstacle({ background, options, call, program }: TerminalConditions): string | null {
  const off = NO_TERMINAL_VARIABLES.find((name) => options.inheritedEnv[name] === '1');
  if (off !== undefined) return `${off} is 1.`;
  if (program === null) return 'this machine has no util-linux script(1), which makes them.';
  if (background || call.terminal !== undefined) return null;
  return 'nobody here can show one. With async: true it is a job that you drive with the job tool (send, peek).';
}

/** What a person has read on a terminal, as an output like any other. */
export interface ScreenText {
  readonly source: RawOutput;
  readonly notes: readonly string[];
}

/** The terminal of a run that somebody shows, and its size by now. */
export class AttachedTerminal {
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
  async read(out: RawOutput): Promise<ScreenText> {
    const { toScreenText } = await import('../jobs/terminal-screen.ts');
    return toScreenText(out, this.#size);
  }
}
