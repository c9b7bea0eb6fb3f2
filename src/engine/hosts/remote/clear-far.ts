import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Client } from './client.ts';

/** Somebody waits for this at the end of a program: what is not reached is cleared by a later one. */
const PATIENCE_MS = 3_000;

/** Removes the directories of runs whose output has arrived. Never fails: they are small, and hold nothing we need. */
export function clearFar(
  client: Client,
  { ids, script }: { ids: readonly string[]; script: string },
): Promise<void> {
  const text = `nacre_task=clear nacre_id=none nacre_stream=out nacre_from=0 nacre_words='${ids.join(' ')}'\n${readFileSync(script, 'utf8')}`;
  const [program = '', ...words] = client.words;
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      env: client.env,
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: PATIENCE_MS,
    });
    child.on('error', () => resolve());
    child.on('close', () => resolve());
    child.stdin.on('error', () => undefined);
    child.stdin.end(
      `LC_ALL=C IFS= read -r -N ${Buffer.byteLength(text)} nacre_text && eval "$nacre_text"\n${text}`,
    );
  });
}
