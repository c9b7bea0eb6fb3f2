import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallResult, JobResult } from '../../../index.ts';

type Content = CallToolResult['content'][number];

/**
 * Some clients show their model the text, some the structure, and some the one or the other by how it went: so each says
 * everything. What a program may want besides, and no model, is under `_meta`.
 */
export function toBashResult(result: CallResult, news: readonly string[]): CallToolResult {
  const { run, error, details, isError } = result;
  return {
    content: [...withNews(result.content, news), ...linkToRest(result)],
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
    content: withNews(content, news),
    structuredContent: {
      ...details,
      ...(error === undefined ? {} : { error }),
      ...(news.length === 0 ? {} : { notes: news }),
    },
    isError,
  };
}

function withNews(content: CallResult['content'], news: readonly string[]): Content[] {
  return [...content, ...news.map((text) => ({ type: 'text' as const, text: `[${text}]` }))];
}

/** Where a client that reads resources finds what is not shown. */
function linkToRest({ run: { artifact, output } }: CallResult): Content[] {
  if (artifact === null || output.omitted === null) return [];
  return [
    {
      type: 'resource_link',
      uri: artifact,
      name: artifact.replace('artifact://', ''),
      title: 'All of the output',
      mimeType: 'text/plain',
      size: output.totalBytes,
    },
  ];
}
