import type { CallResult } from '../result.ts';
import type { CallContext } from '../running/context.ts';
import { toMachine } from './machine.ts';

/** The result of a call that another tool carried out: what that said, and nothing of ours was run. */
export function takenOverResult(
  { tool, text }: { readonly tool: string; readonly text: string },
  { options }: CallContext,
): CallResult {
  const totalLines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  const shown = totalLines === 0 ? [] : [{ from: 1, to: totalLines }];
  const run = toMachine({
    runId: null,
    outcome: { status: 'exited', exitCode: 0, signal: null },
    wallTimeMs: 0,
    cwd: options.cwd,
    output: { text, totalBytes: Buffer.byteLength(text), totalLines, shown, omitted: null },
    artifact: null,
    notes: [`Nothing was run: the tool ${tool} took the call over.`],
  });
  return { content: [{ type: 'text', text }], isError: false, details: { takenOverBy: tool }, run };
}
