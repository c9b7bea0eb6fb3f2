import type { Bash, CallResult, MachineResult } from '../../../index.ts';
import { textOf } from './plain-tool.ts';
import { readStream } from './read-stream.ts';

/** A command for a form that knows two streams and an exit code, and no jobs. */
export interface ApartCall {
  readonly command: string;
  readonly cwd?: string | null | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | null | undefined;
  /** Of each stream; beyond it the middle is left out. */
  readonly maxBytes?: number | null | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only for a profile that takes input. */
  readonly stdin?: string | undefined;
}

/** What became of it. */
export interface ApartResult {
  readonly stdout: string;
  /** After what the command printed: what there is to say beside it. */
  readonly stderr: string;
  /** 128 + n for a death by signal, 124 at a time limit, 126 when it was refused, 125 when nobody knows. */
  readonly exitCode: number;
  readonly timedOut: boolean;
}

/** Runs a command to its end, whatever the profile, and gives its two streams apart. */
export async function runApart(bash: Bash, call: ApartCall): Promise<ApartResult> {
  const result = await callApart(bash, call);
  const { timedOut } = result.run;
  return { ...(await streamsOf(bash, { result, call })), exitCode: exitCodeOf(result.run), timedOut };
}

/** The same, and the streams are still where they are kept. */
export function callApart(bash: Bash, call: ApartCall): Promise<CallResult> {
  const { signal } = call;
  return bash.call(toInput(bash, call), { streams: 'apart', ...(signal && { signal }) });
}

/** Whether a command can be given a text to read. */
export function takesInput(bash: Bash): boolean {
  return 'stdin' in bash.tool.inputSchema.properties;
}

/** A word that bash takes as it is. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Only fields that this profile has. Nothing is to become a job, for nobody could look after it. */
function toInput(
  bash: Bash,
  { command, cwd, env, timeoutMs, stdin }: ApartCall,
): Readonly<Record<string, unknown>> {
  const { properties } = bash.tool.inputSchema;
  const wanted = { cwd, env, timeout: timeoutMs ? timeoutMs / 1_000 : null, wait: 3_600, stdin };
  return { command, ...Object.fromEntries(Object.entries(wanted).filter(([name]) => name in properties)) };
}

type Streams = Pick<ApartResult, 'stdout' | 'stderr'>;

async function streamsOf(
  bash: Bash,
  { result, call }: { readonly result: CallResult; readonly call: ApartCall },
): Promise<Streams> {
  const { run, content } = result;
  if (run.runId === null) return { stdout: '', stderr: textOf(content) };
  const said = run.notes.map((note) => `${note}\n`).join('');
  if (run.artifact === null) return { stdout: run.output.text, stderr: said };
  const [stdout = '', stderr = ''] = await Promise.all(
    [run.artifact, `${run.artifact}/err`].map((name) => readStream(bash, name, call.maxBytes)),
  );
  return { stdout, stderr: stderr === '' || stderr.endsWith('\n') ? stderr + said : `${stderr}\n${said}` };
}

const STATUS: Readonly<Partial<Record<MachineResult['status'], number>>> = {
  timed_out: 124,
  refused: 126,
  lost: 125,
  running: 0,
};

function exitCodeOf({ exitCode, status }: MachineResult): number {
  return exitCode ?? STATUS[status] ?? 1;
}
