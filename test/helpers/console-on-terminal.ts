import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createBash, type LiveTerminal, Screen } from '../../src/index.ts';
import { nacreEnv } from './nacre-cli.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

export interface ConsoleOnTerminal {
  readonly root: string;
  type(keys: string): Promise<void>;
  /** Until the screen shows it. */
  shows(what: string | RegExp): Promise<string>;
  /** All it has written so far. */
  written(): string;
}

/** The real program on a real terminal; keys in, screen out. */
export async function consoleOnTerminal(
  words = 'console',
  {
    columns = 80,
    rows = 24,
    env = {},
  }: { columns?: number; rows?: number; env?: Record<string, string> } = {},
): Promise<ConsoleOnTerminal> {
  const root = temporaryDirectory();
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'outer'), policy: { enabled: false } });
  const screen = new Screen({ columns, rows });
  let written = '';
  let drawn: Promise<void> = Promise.resolve();
  let onStart: (terminal: LiveTerminal) => void = () => undefined;
  const started = new Promise<LiveTerminal>((resolve) => {
    onStart = resolve;
  });
  const stop = new AbortController();
  const over = bash
    .call(
      {
        command: `exec ${process.execPath} ${BIN} ${words}`,
        env: nacreEnv(root, { NO_COLOR: '', ...env }) as Record<string, string>,
        ...{ pty: true, timeout: 0 },
      },
      {
        signal: stop.signal,
        terminal: { columns, rows, onStart },
        onBytes: (_, chunk) => {
          written += chunk.toString();
          drawn = screen.write(Buffer.from(chunk));
        },
      },
    )
    .catch(() => undefined);
  onTestFinished(async () => {
    stop.abort();
    await over;
    await bash.close();
    screen.close();
  });
  const terminal = await started;
  return {
    root,
    type: (keys) => terminal.send(keys),
    written: () => written,
    shows: (what) =>
      vi.waitFor(
        async () => {
          await drawn;
          const text = screen.rows().join('\n');
          if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
          throw new Error(`The screen does not show ${what}:\n${text}`);
        },
        { timeout: 30_000, interval: 10 },
      ),
  };
}
