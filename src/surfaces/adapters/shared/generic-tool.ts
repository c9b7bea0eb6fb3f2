import type { Bash, CallUpdate, InputSchema, MachineResult } from '../../../index.ts';
import { NacreError } from '../../../index.ts';

/** A tool as it is before a framework gives it its form. */
export interface GenericTool {
  readonly name: 'bash' | 'job';
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** Resolves for everything a call can meet; rejects with a `ToolAbortError` when the signal fires. */
  call(input: unknown, following?: GenericCallOptions): Promise<ToolAnswer>;
}

/** How a call is followed. */
export interface GenericCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onUpdate?: ((update: CallUpdate) => void) | undefined;
}

/** What a call comes to, the same for both tools. */
export interface ToolAnswer {
  /** What the model is to see. */
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** The machine form; `null` for the job tool. */
  readonly run: MachineResult | null;
}

/** The tool that runs commands. */
export function genericBashTool(bash: Bash): GenericTool {
  return {
    ...bash.tool,
    call: async (input, { signal, onUpdate } = {}) => {
      const given = { ...(signal && { signal }), ...(onUpdate && { onUpdate }) };
      const { content, isError, details, run } = await bash.call(input, given);
      return { text: joinContentText(content), isError, details, run };
    },
  };
}

/**
 * The tool that looks after jobs.
 *
 * @throws {NacreError} `async_disabled` where there are none: see `bash.jobTool`
 */
export function genericJobTool(bash: Bash): GenericTool {
  if (bash.jobTool === null) throw new NacreError('async_disabled');
  return {
    ...bash.jobTool,
    call: async (input, { signal } = {}) => {
      const { content, isError, details } = await bash.job(input, signal ? { signal } : {});
      return { text: joinContentText(content), isError, details: { ...details }, run: null };
    },
  };
}

/** Both, or the first alone where there are no jobs. */
export function genericTools(bash: Bash): readonly GenericTool[] {
  return bash.jobTool === null ? [genericBashTool(bash)] : [genericBashTool(bash), genericJobTool(bash)];
}

/** The text of a result or an update. */
export function joinContentText(content: readonly { readonly text: string }[]): string {
  return content.map(({ text }) => text).join('\n');
}
