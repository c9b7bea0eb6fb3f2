import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallResult, ErrorCode, JobResult, NacreError } from '../../index.ts';

type Content = CallToolResult['content'][number];

/**
 * Converts a result to MCP. The text and the structured content are each complete, because clients differ in
 * which of them the model sees. Details for programs are under `_meta`.
 */
export function toBashResult(result: CallResult, news: readonly string[]): CallToolResult {
  const { run, error, details, isError } = result;
  return {
    content: [...withJobEndNotes(result.content, news), ...linkToFullOutput(result)],
    structuredContent: {
      ...run,
      notes: [...run.notes, ...news],
      ...(error === undefined ? {} : { error }),
    },
    isError,
    _meta: { 'nacre/details': details },
  };
}

export function toJobToolResult(result: JobResult, news: readonly string[]): CallToolResult {
  const { content, details, error, isError } = result;
  return {
    content: withJobEndNotes(content, news),
    structuredContent: {
      ...details,
      ...(error === undefined ? {} : { error }),
      ...(news.length === 0 ? {} : { notes: news }),
    },
    isError,
  };
}

/** The result of a call that was not started. */
export function toBashRefusal(id: ErrorCode, message: string): CallToolResult {
  return {
    content: [{ type: 'text', text: message }],
    structuredContent: {
      ...{ runId: null, status: 'refused', exitCode: null, signal: null, timedOut: false, aborted: false },
      ...{ wallTimeMs: 0, cwd: '', artifact: null, notes: [] },
      output: { text: '', totalBytes: 0, totalLines: 0, shown: [], omitted: null },
      error: { id, message },
    },
    isError: true,
  };
}

export function toJobRefusal({ code: id, message }: NacreError): CallToolResult {
  return {
    content: [{ type: 'text', text: message }],
    structuredContent: { action: null, jobs: [], error: { id, message } },
    isError: true,
  };
}

function withJobEndNotes(content: CallResult['content'], news: readonly string[]): Content[] {
  return [...content, ...news.map((text) => ({ type: 'text' as const, text: `[${text}]` }))];
}

/** Links to the full output when the text omits a part. */
function linkToFullOutput({ run: { artifact, output } }: CallResult): Content[] {
  if (artifact === null || output.omitted === null) return [];
  return [
    {
      type: 'resource_link',
      uri: artifact,
      name: artifact.replace('artifact://', ''),
      title: 'Full output',
      mimeType: 'text/plain',
      size: output.totalBytes,
    },
  ];
}
