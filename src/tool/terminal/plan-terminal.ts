import type { TerminalPlan, TerminalSize } from '../../engine/run/supervise/terminal.ts';
import { findTerminalProgram } from '../../engine/shell/find-terminal-program.ts';
import type { CallOptions } from '../call-options.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { CallRequest } from '../planning/request.ts';

/** What a terminal has when nobody who shows it says otherwise. */
export const STANDARD_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** Either of them keeps everybody from having a terminal. */
const SWITCHES = ['NACRE_NO_PTY', 'PI_NO_PTY'] as const;

export interface PlannedTerminal {
  /** `null`: the command runs without one. */
  readonly terminal: TerminalPlan | null;
  /** Why there is none though one was asked for. */
  readonly notes: readonly string[];
}

const NONE: PlannedTerminal = { terminal: null, notes: [] };

export interface TerminalContext {
  readonly options: ResolvedOptions;
  readonly call: CallOptions;
  /** Whether the command runs in a sandbox or on another machine. */
  readonly isElsewhere: boolean;
}

/** Whether a call gets a terminal: when it asks for one, somebody can show or drive it, and the machine can make it. */
export function planTerminal(
  { pty, background }: CallRequest,
  { options, call, isElsewhere }: TerminalContext,
): PlannedTerminal {
  const isWanted = pty || (options.virtualTerminal === 'on' && call.terminal !== undefined);
  if (!isWanted) return NONE;
  const program = findTerminalProgram();
  const obstacle = isElsewhere
    ? 'there are none on this host.'
    : findObstacle({ background, options, call, program });
  if (obstacle !== null || program === null)
    return { terminal: null, notes: pty ? [`Ran without a terminal: ${obstacle}`] : [] };
  const { columns, rows } = call.terminal ?? STANDARD_SIZE;
  return { terminal: { columns, rows, program }, notes: [] };
}

interface Circumstances {
  readonly background: boolean;
  readonly options: ResolvedOptions;
  readonly call: CallOptions;
  readonly program: string | null;
}

function findObstacle({ background, options, call, program }: Circumstances): string | null {
  const off = SWITCHES.find((name) => options.inheritedEnv[name] === '1');
  if (off !== undefined) return `${off} is 1.`;
  if (program === null) return 'this machine has no util-linux script(1), which makes them.';
  if (background || call.terminal !== undefined) return null;
  return 'nobody here can show one. With async: true it is a job that you drive with the job tool (send, peek).';
}
