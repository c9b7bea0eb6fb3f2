import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { Bash, JobCallOptions } from '../../index.ts';

/** What a person can type beside commands for bash. */
export const SLASH_COMMANDS: AvailableCommand[] = [
  { name: 'background', description: 'Run a command as a job', input: { hint: 'command' } },
  { name: 'jobs', description: 'List the jobs of this session' },
  { name: 'peek', description: 'Show the end of what a job printed', input: { hint: 'job' } },
  { name: 'kill', description: 'End a job and everything it started', input: { hint: 'job' } },
];

/** What the line of a person asks for: a command for bash, or an answer of the job tool. */
export type Asked =
  | { readonly kind: 'command'; readonly command: string; readonly background: boolean }
  | { readonly kind: 'job'; readonly input: Readonly<Record<string, unknown>> };

/** A path like `/usr/bin/env` is a command; only the names above are ours. */
export function readLine(line: string): Asked {
  const [, name, rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  switch (name) {
    case 'background':
      return { kind: 'command', command: rest, background: true };
    case 'jobs':
      return { kind: 'job', input: { action: 'list' } };
    case 'peek':
      return { kind: 'job', input: { action: 'peek', id: rest.trim() } };
    case 'kill':
      return { kind: 'job', input: { action: 'kill', id: rest.trim(), escalate: true } };
    default:
      return { kind: 'command', command: line, background: false };
  }
}

/** The text of an answer of the job tool. */
export async function answerJob(bash: Bash, input: unknown, call: JobCallOptions): Promise<string> {
  const { content } = await bash.job(input, call);
  return content.map(({ text }) => text).join('\n');
}
