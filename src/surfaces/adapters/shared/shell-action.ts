import type { Bash } from '../../../index.ts';
import { runApart } from './run-apart.ts';

/** What OpenAI's shell tool asks for. */
export interface ShellAction {
  readonly commands: readonly string[];
  readonly timeoutMs?: number | null | undefined;
  /** In characters, of each stream. */
  readonly maxOutputLength?: number | null | undefined;
}

/** What became of one of its commands. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly exitCode: number;
}

/** One command after the other, as a person would type them; each has the whole time. */
export async function runShellAction(
  bash: Bash,
  { commands, timeoutMs, maxOutputLength }: ShellAction,
  signal?: AbortSignal,
): Promise<ShellOutput[]> {
  const outputs: ShellOutput[] = [];
  for (const command of commands)
    outputs.push(await runApart(bash, { command, timeoutMs, maxBytes: maxOutputLength, signal }));
  return outputs;
}
