import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/nacre.cjs');

export interface Finished {
  /** What it exits with, or the signal it died of. */
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves once stdout contains this text. */
  saw(text: string): Promise<void>;
}

/** Directories and settings of one test's own; nothing of the user's reaches it. */
export function nacreEnv(root: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_STATE_HOME: join(root, 'state'),
    ...more,
  };
}

/** Starts the real command line. Its stdin is empty unless text is given. */
export function startNacre(
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; input?: string; cwd?: string; keepOpen?: boolean },
): Started {
  const { env, input, cwd, keepOpen = false } = options;
  const child = spawn(process.execPath, [BIN, ...args], {
    env,
    cwd,
    stdio: [input === undefined && !keepOpen ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (!keepOpen) child.stdin?.end(input);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ status: code ?? signal, stdout: stdout.text(), stderr: stderr.text() }),
    );
  });
  return { child, finished, saw: (text) => stdout.saw(text) };
}

export function runNacre(
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; input?: string; cwd?: string },
): Promise<Finished> {
  return startNacre(args, options).finished;
}

function collect(stream: NodeJS.ReadableStream | null) {
  const chunks: Buffer[] = [];
  const text = (): string => Buffer.concat(chunks).toString('latin1');
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const saw = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (text().includes(wanted)) resolve();
      };
      stream?.on('data', look);
      stream?.on('end', () => reject(new Error(`never saw ${wanted} in ${text()}`)));
      look();
    });
  return { text, saw };
}
