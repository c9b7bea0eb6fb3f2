import type { Extent, RawSource } from '../../engine/output/kept/source.ts';
import { sourceOfWindow } from '../../engine/output/kept/source.ts';
import { OutputWindow } from '../../engine/output/window.ts';
import type { TerminalSize } from '../../engine/run/supervise/terminal.ts';
import { Screen } from '../../engine/terminal/screen.ts';
import { STANDARD_SIZE } from './plan-terminal.ts';

/** An emulator reads about 20 MB a second: of more than this only the end is drawn, */
const MOST_BYTES = 4 * 1024 * 1024;

/** and the beginning, in which a program says how it wants keys and whether it takes the whole screen. */
const FIRST_BYTES = 64 * 1024;

/** Breaks off a sequence that was cut in two. */
const CANCEL = '\x18';

/** A screen as a program left it. */
export interface Replay {
  readonly screen: Screen;
  readonly notes: readonly string[];
}

/** Draws what a run printed. Whoever asks for it closes the screen. */
export async function replay(source: RawSource, size: TerminalSize): Promise<Replay> {
  const screen = new Screen(size);
  const from = Math.max(0, source.totalBytes - MOST_BYTES);
  if (from > 0) {
    await draw(source, { from: 0, to: Math.min(FIRST_BYTES, from) }, screen);
    await screen.write(CANCEL);
  }
  await draw(source, { from, to: source.totalBytes }, screen);
  const notes = [
    ...(from === 0
      ? []
      : [
          `The screen is drawn from the first ${FIRST_BYTES / 1024} KB and the last ${MOST_BYTES / 1024 ** 2} MB of the output.`,
        ]),
    ...(screen.isCut ? ['What scrolled out long ago is only in the raw output.'] : []),
  ];
  return { screen, notes };
}

async function draw(source: RawSource, { from, to }: Extent, screen: Screen): Promise<void> {
  for (const extent of source.extents) {
    const part = { from: Math.max(extent.from, from), to: Math.min(extent.to, to) };
    if (part.from >= part.to) continue;
    for await (const bytes of source.read(part)) await screen.write(bytes);
  }
}

/** What a terminal showed, scrolled out or not, as an output like any other. */
export async function toScreenText(
  source: RawSource,
  size: TerminalSize,
): Promise<{ readonly source: RawSource; readonly notes: readonly string[] }> {
  const { screen, notes } = await replay(source, size);
  const bytes = Buffer.from(
    screen
      .lines()
      .map((line) => `${line}\n`)
      .join(''),
  );
  screen.close();
  const window = new OutputWindow({ headBytes: bytes.length, tailBytes: 0 });
  window.write(bytes);
  return { source: sourceOfWindow(window.read()), notes };
}

/** The size a run's terminal was made with, from what was asked; `null` for a run without one. */
export function terminalOf(asked: Readonly<Record<string, unknown>>): TerminalSize | null {
  const { terminal } = asked as { readonly terminal?: Partial<TerminalSize> | null };
  if (terminal === undefined || terminal === null) return null;
  const { columns, rows } = terminal;
  return { columns: columns ?? STANDARD_SIZE.columns, rows: rows ?? STANDARD_SIZE.rows };
}
