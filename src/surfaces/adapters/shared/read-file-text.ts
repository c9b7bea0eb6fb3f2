import type { Artifact, Bash } from '../../../index.ts';
import { readStream } from './read-stream.ts';
import { callApart, quote } from './run-apart.ts';

/** Larger files are for commands to look into, not for a model to read whole. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A file as it is, read where commands run. Throws what `cat` says when it cannot be read. */
export async function readFileText(bash: Bash, path: string): Promise<string> {
  const { run, error } = await callApart(bash, { command: `cat < ${quote(path)}` });
  if (error !== undefined) throw new Error(error.message);
  if (run.artifact === null)
    throw new Error(`${path} cannot be read: no output of commands is kept (storage.maxRunBytes).`);
  if (run.exitCode !== 0)
    throw new Error((await readStream(bash, `${run.artifact}/err`)).trim() || run.status);
  const artifact = bash.artifacts.open(run.artifact);
  if (artifact.totalBytes > MAX_FILE_BYTES)
    throw new Error(`${path} is larger than ${MAX_FILE_BYTES} bytes: look into it with commands.`);
  const exact = (await readAll(artifact)).toString('utf8');
  const masked = await readMasked(artifact);
  // Line ends and escapes are as they are in the file, unless it holds a secret: that goes before.
  return countOf(masked) > countOf(exact) ? masked : exact;
}

const REDACTED = '[redacted]';

function countOf(text: string): number {
  return text.split(REDACTED).length;
}

async function readAll(artifact: Artifact): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let from = 0; from < artifact.totalBytes; ) {
    const { bytes } = await artifact.bytes({ from, to: artifact.totalBytes });
    if (bytes.length === 0) break;
    parts.push(bytes);
    from += bytes.length;
  }
  return Buffer.concat(parts);
}

const TEXT_BYTES = 50 * 1024;

async function readMasked(artifact: Artifact): Promise<string> {
  let text = '';
  for (let from = 0; from < artifact.totalBytes; from += TEXT_BYTES) {
    const part = await artifact.text({ from, to: from + TEXT_BYTES });
    if (part.binary) return '';
    text += part.text;
  }
  return text;
}
