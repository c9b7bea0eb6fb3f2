import type { Artifact, Bash, CallResult, MachineResult } from '../../../index.ts';
import { joinContentText } from './generic-tool.ts';

/** The most bytes that one artifact read returns. */
const MAX_ARTIFACT_READ_BYTES = 50 * 1024;

/**
 * Reads one stream of a run as text; an oversized stream is reduced to its start and, for the larger part, its
 * end.
 */
export async function readArtifactText(bash: Bash, name: string, wanted?: number | null): Promise<string> {
  const artifact = bash.artifacts.open(name);
  const { totalBytes } = artifact;
  const budget = Math.max(1, Math.min(wanted ?? MAX_ARTIFACT_READ_BYTES, MAX_ARTIFACT_READ_BYTES));
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

/** A command for an interface with two streams and an exit code, without jobs. */
export interface SeparateStreamsCall {
  readonly command: string;
  readonly cwd?: string | null | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | null | undefined;
  /** Limit for each stream; the middle is omitted beyond it. */
  readonly maxBytes?: number | null | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only for a profile that accepts stdin. */
  readonly stdin?: string | undefined;
}

/** The streams and the exit code of a finished command. */
export interface SeparateStreamsResult {
  readonly stdout: string;
  /** The command's stderr, followed by notes about the run. */
  readonly stderr: string;
  /** 128 + n for signal n, 124 at the time limit, 126 when refused, 125 when unknown. */
  readonly exitCode: number;
  readonly timedOut: boolean;
}

/** Runs a command to its end with any profile and returns stdout and stderr separately. */
export async function runWithSeparateStreams(
  bash: Bash,
  call: SeparateStreamsCall,
): Promise<SeparateStreamsResult> {
  const result = await callWithSeparateStreams(bash, call);
  const { timedOut } = result.run;
  return { ...(await readStreams(bash, { result, call })), exitCode: toExitCode(result.run), timedOut };
}

/** Runs a command whose streams are then read from its artifacts. */
export function callWithSeparateStreams(bash: Bash, call: SeparateStreamsCall): Promise<CallResult> {
  const { signal } = call;
  return bash.call(toCallInput(bash, call), { streams: 'apart', ...(signal && { signal }) });
}

/** Whether the profile accepts stdin for a command. */
export function acceptsStdin(bash: Bash): boolean {
  return 'stdin' in bash.tool.inputSchema.properties;
}

/** Quotes a word for bash. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Uses only fields of this profile. The command must not become a job, because this interface cannot manage
 * jobs.
 */
function toCallInput(
  bash: Bash,
  { command, cwd, env, timeoutMs, stdin }: SeparateStreamsCall,
): Readonly<Record<string, unknown>> {
  const { properties } = bash.tool.inputSchema;
  const wanted = { cwd, env, timeout: timeoutMs ? timeoutMs / 1_000 : null, wait: 3_600, stdin };
  return { command, ...Object.fromEntries(Object.entries(wanted).filter(([name]) => name in properties)) };
}

type Streams = Pick<SeparateStreamsResult, 'stdout' | 'stderr'>;

async function readStreams(
  bash: Bash,
  { result, call }: { readonly result: CallResult; readonly call: SeparateStreamsCall },
): Promise<Streams> {
  const { run, content } = result;
  if (run.runId === null) return { stdout: '', stderr: joinContentText(content) };
  const said = run.notes.map((note) => `${note}\n`).join('');
  if (run.artifact === null) return { stdout: run.output.text, stderr: said };
  const [stdout = '', stderr = ''] = await Promise.all(
    [run.artifact, `${run.artifact}/err`].map((name) => readArtifactText(bash, name, call.maxBytes)),
  );
  return { stdout, stderr: stderr === '' || stderr.endsWith('\n') ? stderr + said : `${stderr}\n${said}` };
}

const EXIT_CODE_OF_STATUS: Readonly<Partial<Record<MachineResult['status'], number>>> = {
  timed_out: 124,
  refused: 126,
  lost: 125,
  running: 0,
};

function toExitCode({ exitCode, status }: MachineResult): number {
  return exitCode ?? EXIT_CODE_OF_STATUS[status] ?? 1;
}

/** A request of OpenAI's shell tool. */
export interface ShellAction {
  readonly commands: readonly string[];
  readonly timeoutMs?: number | null | undefined;
  /** In characters, for each stream. */
  readonly maxOutputLength?: number | null | undefined;
}

/** The output of one command of a shell action. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly exitCode: number;
}

/** Runs the commands one after the other; the time limit applies to each. */
export async function runShellAction(
  bash: Bash,
  { commands, timeoutMs, maxOutputLength }: ShellAction,
  signal?: AbortSignal,
): Promise<ShellOutput[]> {
  const outputs: ShellOutput[] = [];
  for (const command of commands)
    outputs.push(
      await runWithSeparateStreams(bash, { command, timeoutMs, maxBytes: maxOutputLength, signal }),
    );
  return outputs;
}

/** Larger files are too large to return to a model. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Reads a file on the host that runs the commands. Throws the error text of `cat` when it cannot be read. */
export async function readFileText(bash: Bash, path: string): Promise<string> {
  const { run, error } = await callWithSeparateStreams(bash, { command: `cat < ${quoteWord(path)}` });
  if (error !== undefined) throw new Error(error.message);
  if (run.artifact === null)
    throw new Error(`${path} cannot be read: no output of commands is kept (storage.maxRunBytes).`);
  if (run.exitCode !== 0)
    throw new Error((await readArtifactText(bash, `${run.artifact}/err`)).trim() || run.status);
  const artifact = bash.artifacts.open(run.artifact);
  if (artifact.totalBytes > MAX_FILE_BYTES)
    throw new Error(`${path} is larger than ${MAX_FILE_BYTES} bytes: look into it with commands.`);
  const exact = (await readAllBytes(artifact)).toString('utf8');
  const masked = await readMaskedText(artifact);
  // The exact bytes keep line endings and escape sequences; the masked view is used when it hides secrets.
  return countRedactions(masked) > countRedactions(exact) ? masked : exact;
}

const REDACTED = '[redacted]';

function countRedactions(text: string): number {
  return text.split(REDACTED).length;
}

async function readAllBytes(artifact: Artifact): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let from = 0; from < artifact.totalBytes; ) {
    const { bytes } = await artifact.bytes({ from, to: artifact.totalBytes });
    if (bytes.length === 0) break;
    parts.push(bytes);
    from += bytes.length;
  }
  return Buffer.concat(parts);
}

const MASKED_CHUNK_BYTES = 50 * 1024;

async function readMaskedText(artifact: Artifact): Promise<string> {
  let text = '';
  for (let from = 0; from < artifact.totalBytes; from += MASKED_CHUNK_BYTES) {
    const part = await artifact.text({ from, to: from + MASKED_CHUNK_BYTES });
    if (part.binary) return '';
    text += part.text;
  }
  return text;
}
