import { detach } from '../../text/detach.ts';
import { type Line, LineReader } from '../../text/line-reader.ts';
import { type Mask, NO_MASK } from '../mask.ts';
import type { OutputWindow } from '../window.ts';
import { AGENT_LIMITS } from './agent-view.ts';
import { clipLine, endOnly, maskLine } from './shown-line.ts';

export interface TailTextOptions {
  /** @default 50 KiB */
  readonly budgetBytes?: number;
  readonly mask?: Mask;
}

const NEWLINE = 10;
/** Colours and redrawn lines take room in the raw output that they do not take here. */
const RAW_PER_SHOWN = 2;

/** The end of an output that is still going, as the final view would show it: for updates, so it must cost little. */
export function toTailText(window: OutputWindow, options: TailTextOptions = {}): string {
  const { budgetBytes = AGENT_LIMITS.budgetBytes, mask = NO_MASK } = options;
  const latest = window.latest(RAW_PER_SHOWN * budgetBytes);
  const complete = latest.length === window.totalBytes;
  const start = complete ? 0 : latest.indexOf(NEWLINE) + 1;
  const lines = readAll(latest.subarray(start), AGENT_LIMITS.narrowColumns + mask.longest);
  const shown: string[] = [];
  let room = budgetBytes;
  for (const [index, line] of [...lines.entries()].reverse()) {
    // Without a newline in all of it, not even the start of its line was seen.
    const masked = complete || start > 0 || index > 0 ? maskLine(line, mask) : endOnly(line, mask);
    const { text } = clipLine(masked, { characters: AGENT_LIMITS.narrowColumns, bytes: budgetBytes - 1 });
    room -= Buffer.byteLength(text) + 1;
    if (room < 0) break;
    shown.push(line.ended ? `${text}\n` : mask.applyUnfinished(text));
  }
  return detach(shown.reverse().join(''));
}

function readAll(bytes: Buffer, hold: number): Line[] {
  const lines: Line[] = [];
  const reader = new LineReader({ hold, onLine: (line) => lines.push(line), redraws: true });
  reader.write(bytes);
  reader.end();
  return lines;
}
