import { type Line, LineReader } from '../../text/line-reader.ts';
import { copyString, NEWLINE } from '../../text/utf8.ts';
import { clipLine, maskLine, toLineEnd } from '../masked-line.ts';
import type { OutputWindow } from '../output-window.ts';
import { NO_SECRET_MASK, type SecretMask } from '../secret-mask.ts';
import { AGENT_VIEW_LIMITS } from './agent-view.ts';

interface TailTextOptions {
  /** @default 50 KiB */
  readonly budgetBytes?: number;
  readonly mask?: SecretMask;
}

/** Colours and redrawn lines use raw bytes that are not shown. */
const RAW_BYTES_PER_SHOWN_BYTE = 2;

/** The end of the output of a running command, for updates. It must be cheap. */
export function toTailText(window: OutputWindow, options: TailTextOptions = {}): string {
  const { budgetBytes = AGENT_VIEW_LIMITS.budgetBytes, mask = NO_SECRET_MASK } = options;
  const latest = window.latest(RAW_BYTES_PER_SHOWN_BYTE * budgetBytes);
  const complete = latest.length === window.totalBytes;
  const start = complete ? 0 : latest.indexOf(NEWLINE) + 1;
  const lines = readAllLines(latest.subarray(start), AGENT_VIEW_LIMITS.narrowColumns + mask.maxSecretLength);
  const shown: string[] = [];
  let room = budgetBytes;
  for (const [index, line] of [...lines.entries()].reverse()) {
    // Without a newline, the start of the line is missing.
    const masked = complete || start > 0 || index > 0 ? maskLine(line, mask) : toLineEnd(line, mask);
    const { text } = clipLine(masked, {
      characters: AGENT_VIEW_LIMITS.narrowColumns,
      bytes: budgetBytes - 1,
    });
    room -= Buffer.byteLength(text) + 1;
    if (room < 0) break;
    shown.push(line.ended ? `${text}\n` : mask.applyToPartialText(text));
  }
  return copyString(shown.reverse().join(''));
}

function readAllLines(bytes: Buffer, edgeCharacters: number): Line[] {
  const lines: Line[] = [];
  const reader = new LineReader({ edgeCharacters, onLine: (line) => lines.push(line), redraws: true });
  reader.write(bytes);
  reader.end();
  return lines;
}
