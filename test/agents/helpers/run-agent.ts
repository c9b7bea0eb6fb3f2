import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A home and a project of the test's own; nothing of the person's reaches the agent. */
export function openHome(): { home: string; project: string } {
  const home = mkdtempSync(join(tmpdir(), 'nacre-agent-'));
  const project = join(home, 'project');
  mkdirSync(project);
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  return { home, project };
}

export interface AgentRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly home: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs an agent to its end, with no input. */
export function runAgent({
  file,
  args,
  home,
  cwd,
  env = {},
}: AgentRun): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 110_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
