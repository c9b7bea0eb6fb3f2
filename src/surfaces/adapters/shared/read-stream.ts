import type { Bash } from '../../../index.ts';

/** What one reading of an artifact gives at most. */
const MAX_BYTES = 50 * 1024;

/** One stream of a run as text: whole if it fits, else its start and, for the larger part, its end. */
export async function readStream(bash: Bash, name: string, wanted?: number | null): Promise<string> {
  const artifact = bash.artifacts.open(name);
  const { totalBytes } = artifact;
  const budget = Math.max(1, Math.min(wanted ?? MAX_BYTES, MAX_BYTES));
  if (totalBytes <= budget) return (await artifact.text({ from: 0, to: totalBytes })).text;
  const headBytes = Math.floor(budget / 5);
  const from = totalBytes - (budget - headBytes);
  const [head, tail] = await Promise.all([
    artifact.text({ from: 0, to: headBytes }),
    artifact.text({ from, to: totalBytes }),
  ]);
  if (head.binary) return head.text;
  return `${head.text}\n[${from - headBytes} of ${totalBytes} bytes omitted; all of it: ${name}]\n${tail.text}`;
}
