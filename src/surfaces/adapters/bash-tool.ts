/** A `Sandbox` for the `bash-tool` package: `createBashTool({ sandbox: createSandbox(bash), destination })`. */
import { dirname } from 'node:path';
import type { Bash } from '../../index.ts';
import {
  acceptsStdin,
  quoteWord,
  readFileText,
  runWithSeparateStreams,
  type SeparateStreamsCall,
} from './shared/separate-streams.ts';

/** The `Sandbox` interface of `bash-tool`. Files are read and written on the host that runs the commands. */
export interface BashToolSandbox {
  executeCommand(command: string): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  readFile(path: string): Promise<string>;
  writeFiles(files: { path: string; content: string | Buffer }[]): Promise<void>;
}

export function createSandbox(bash: Bash): BashToolSandbox {
  return {
    executeCommand: async (command) => {
      const { stdout, stderr, exitCode } = await runWithSeparateStreams(bash, { command });
      return { stdout, stderr, exitCode };
    },
    readFile: (path) => readFileText(bash, path),
    writeFiles: async (files) => {
      for (const file of files) await writeFile(bash, file);
    },
  };
}

/** Bytes per command; as base64 this stays below the input limit of the smallest profile. */
const CHUNK_BYTES = 120 * 1024;

async function writeFile(
  bash: Bash,
  { path, content }: { readonly path: string; readonly content: string | Buffer },
): Promise<void> {
  const bytes = Buffer.from(content);
  await runOrThrow(bash, { command: `mkdir -p -- ${quoteWord(dirname(path))} && : > ${quoteWord(path)}` });
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const encoded = bytes.subarray(at, at + CHUNK_BYTES).toString('base64');
    await runOrThrow(bash, toAppendCall(bash, quoteWord(path), encoded));
  }
}

/**
 * Passes the data as stdin where the profile accepts it, so that the log does not repeat the file's content.
 */
function toAppendCall(bash: Bash, target: string, encoded: string): SeparateStreamsCall {
  if (acceptsStdin(bash)) return { command: `base64 -d >> ${target}`, stdin: encoded };
  return { command: `base64 -d >> ${target} <<'NACRE_FILE'\n${encoded}\nNACRE_FILE` };
}

async function runOrThrow(bash: Bash, call: SeparateStreamsCall): Promise<void> {
  const { exitCode, stderr } = await runWithSeparateStreams(bash, call);
  if (exitCode !== 0) throw new Error(stderr.trim() || `exit code ${exitCode}`);
}
