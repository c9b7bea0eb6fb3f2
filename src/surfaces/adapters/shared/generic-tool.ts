import type { Bash, CallUpdate, InputSchema, MachineResult } from '../../../index.ts';
import { NacreError } from '../../../index.ts';

/** A tool independent of any framework. */
export interface GenericTool {
  readonly name: 'bash' | 'job';
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** Resolves for every result, including failures; rejects with a `ToolAbortError` when the signal fires. */
  call(input: unknown, following?: GenericCallOptions): Promise<ToolAnswer>;
}

/** Options of one call of a `GenericTool`. */
export interface GenericCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onUpdate?: ((update: CallUpdate) => void) | undefined;
}

/** The result of a call of either tool. */
export interface ToolAnswer {
  /** The text for the model. */
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** The machine-readable result; `null` for the job tool. */
  readonly run: MachineResult | null;
}

/** The bash tool. */
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
 * The job tool.
 *
 * @throws {NacreError} `async_disabled` when jobs are disabled: see `bash.jobTool`
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

/** Both tools; only `bash` when jobs are disabled. */
export function genericTools(bash: Bash): readonly GenericTool[] {
  return bash.jobTool === null ? [genericBashTool(bash)] : [genericBashTool(bash), genericJobTool(bash)];
}

/** Joins the text parts of a result or an update. */
export function joinContentText(content: readonly { readonly text: string }[]): string {
  return content.map(({ text }) => text).join('\n');
}
