import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { type Artifact, type ArtifactText, type Bash, NacreError } from '../../../index.ts';
import { parseResourceUri, type ResourceUri } from './resource-uri.ts';

/** Raw bytes in one answer. */
const RAW_BYTES = 1024 * 1024;

export async function readResource(uri: string, bash: Bash): Promise<ReadResourceResult> {
  const parsed = parseResourceUri(uri);
  if (parsed === null) throw new ResourceNotFoundError(uri);
  try {
    return { contents: [{ uri, ...(await read(parsed, bash)) }] };
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    if (error.code === 'bad_input') throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw new ResourceNotFoundError(uri, error.message);
  }
}

type Content =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string };

async function read(uri: ResourceUri, bash: Bash): Promise<Content> {
  return uri.kind === 'job' ? readJob(uri, bash) : readArtifact(bash.artifacts.open(uri.name), uri.query);
}

/** The same text as the job tool gives. */
async function readJob({ id, query }: ResourceUri, bash: Bash): Promise<Content> {
  const input = { action: 'peek', id, ...numbersOf(query, ['lines', 'from']) };
  const { content, error } = await bash.job(input);
  if (error?.id === 'bad_input') throw badQuery(error.message);
  if (error !== undefined) throw new NacreError('job_not_found', { id });
  return asText(content[0]?.text ?? '');
}

const WAYS = ['lines', 'head', 'tail', 'bytes', 'search', 'regex'] as const;

async function readArtifact(artifact: Artifact, query: URLSearchParams): Promise<Content> {
  const asked = [...query.keys()];
  const unknown = asked.find((name) => !WAYS.some((way) => way === name));
  if (unknown !== undefined)
    throw badQuery(`${unknown}: is no part of an artifact; there is ${WAYS.join(', ')}`);
  if (asked.length > 1) throw badQuery(`${asked[1]}: cannot go with ${asked[0]}: each names a part`);
  const [way] = asked;
  const value = query.get(way ?? '') ?? '';
  if (way === undefined) return withNotes(await artifact.text({ from: 0, to: artifact.totalBytes }));
  if (way === 'bytes') return readBytes(artifact, rangeOf(value, way));
  if (way === 'lines') return withNotes(await artifact.lines(rangeOf(value, way)));
  if (way === 'search') return withNotes(await artifact.search({ pattern: value }));
  if (way === 'regex') return withNotes(await artifact.search({ pattern: patternOf(value) }));
  const { [way]: count = 1 } = numbersOf(query, [way]);
  return withNotes(await (way === 'head' ? artifact.head(count) : artifact.tail(count)));
}

/** As text where it is some, as it is where it is none. */
async function readBytes(artifact: Artifact, { from, to }: { from: number; to: number }): Promise<Content> {
  const extent = { from, to: Math.min(to, from + RAW_BYTES) };
  const text = await artifact.text(extent);
  if (!text.binary) return withNotes(text);
  const { bytes } = await artifact.bytes(extent);
  return { mimeType: 'application/octet-stream', blob: bytes.toString('base64') };
}

function withNotes({ text, notes }: ArtifactText): Content {
  if (notes.length === 0) return asText(text);
  return asText(`${text.replace(/\n$/, '')}\n\n${notes.map((note) => `[${note}]`).join('\n')}\n`);
}

function asText(text: string): Content {
  return { mimeType: 'text/plain', text };
}

function rangeOf(value: string, way: string): { readonly from: number; readonly to: number } {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(value) ?? [];
  const range = { from: Number(from), to: Number(to) };
  const first = way === 'lines' ? 1 : 0;
  if (from === undefined || range.from < first || range.to < range.from)
    throw badQuery(`${way}: expected a range such as 10-20, got ${JSON.stringify(value)}`);
  return range;
}

function numbersOf(query: URLSearchParams, names: readonly string[]): Record<string, number> {
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw badQuery(`${unknown}: is not known here; there is ${names.join(', ')}`);
  return Object.fromEntries([...query].map(([name, value]) => [name, numberOf(name, value)]));
}

function numberOf(name: string, value: string): number {
  if (/^\d{1,15}$/.test(value) && (Number(value) > 0 || name === 'from')) return Number(value);
  throw badQuery(`${name}: expected a whole number, got ${JSON.stringify(value)}`);
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw badQuery(`regex: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function badQuery(problem: string): NacreError {
  const [field = '', ...rest] = problem.split(': ');
  return new NacreError('bad_input', { field, problem: rest.join(': ') });
}
