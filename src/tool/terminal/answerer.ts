import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../engine/hosts/host.ts';
import { RUN_FILES } from '../../engine/run/files.ts';
import type { TerminalSize } from '../../engine/run/supervise/terminal.ts';
import { Screen } from '../../engine/terminal/screen.ts';

/** How often the output is looked at for questions. */
const LOOK_MS = 30;

/** One look reads no more; who prints faster than that does not ask. */
const READ_BYTES = 256 * 1024;

/**
 * Answers what a program on a terminal asks of it (where is the cursor, what can you do) while nobody looks:
 * some wait for the answer. Ends with the run; it keeps no program alive.
 */
export function answerQuestions(run: Run, size: TerminalSize): void {
  const answer = (bytes: string): void => void run.send(bytes).catch(() => undefined);
  const screen = new Screen({ ...size, onAnswer: answer });
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let at = 0;
  const look = (): void => {
    const count = readFrom(join(run.directory, RUN_FILES.out), { at, buffer });
    at += count;
    if (count > 0) void screen.write(Buffer.from(buffer.subarray(0, count)));
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  void run.ended.then(() => {
    clearInterval(timer);
    screen.close();
  });
}

function readFrom(path: string, { at, buffer }: { at: number; buffer: Buffer }): number {
  try {
    const fd = openSync(path, 'r');
    try {
      return readSync(fd, buffer, 0, buffer.length, at);
    } finally {
      closeSync(fd);
    }
  } catch {
    return 0;
  }
}
