import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import {
  type Artifact,
  type ArtifactInfo,
  type ArtifactText,
  type Bash,
  type JobInfo,
  NacreError,
} from '../../index.ts';

/** A parsed resource URI. */
export interface ResourceUri {
  readonly kind: 'artifact' | 'job';
  readonly id: string;
  /** The argument of `artifacts.open`. */
  readonly name: string;
  /** The URI without its query. */
  readonly base: string;
  readonly query: URLSearchParams;
}

/** Parses the URI of an artifact or a job; `null` for any other. */
export function parseResourceUri(uri: string): ResourceUri | null {
  const [, kind, id = '', err = '', query = ''] =
    /^(artifact|job):\/\/([\w.-]+)(\/err)?(?:\?(.*))?$/.exec(uri) ?? [];
  if (kind === 'job' && err === '')
    return { kind, id, name: id, base: `job://${id}`, query: new URLSearchParams(query) };
  if (kind !== 'artifact') return null;
  const name = `${id}${err}`;
  return { kind, id, name, base: `artifact://${name}`, query: new URLSearchParams(query) };
}

const RESOURCES_PER_PAGE = 100;

/** Lists jobs, then artifacts, each newest first. */
export function listResources({ jobs, artifacts }: Bash, cursor: string | undefined): ListResourcesResult {
  const all = [...jobs.list().map(toJobResource), ...artifacts.list().flatMap(toArtifactResources)];
  const from = cursor === undefined ? 0 : all.findIndex(({ uri }) => uri === cursor) + 1;
  if (cursor !== undefined && from === 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor names a resource that no longer exists.',
    );
  const page = all.slice(from, from + RESOURCES_PER_PAGE);
  const last = page.at(-1);
  return {
    resources: page,
    ...(from + RESOURCES_PER_PAGE < all.length && last !== undefined ? { nextCursor: last.uri } : {}),
  };
}

function toJobResource(job: JobInfo): Resource {
  const { id, name, label, state, startedAt, endedAt } = job;
  return {
    uri: `job://${id}`,
    name: name ?? id,
    title: `Job: ${label}`,
    description: `${state}; status and end of the output`,
    mimeType: 'text/plain',
    annotations: { lastModified: new Date(endedAt ?? startedAt).toISOString() },
  };
}

function toArtifactResources({
  id,
  label,
  outBytes,
  errBytes,
  startedAt,
  endedAt,
}: ArtifactInfo): Resource[] {
  const resource = (name: string, size: number, what: string): Resource => ({
    uri: `artifact://${name}`,
    name,
    title: `${what}: ${label}`,
    mimeType: 'text/plain',
    size,
    annotations: { lastModified: new Date(endedAt ?? startedAt).toISOString() },
  });
  const out = resource(id, outBytes, 'Output');
  return errBytes === 0 ? [out] : [out, resource(`${id}/err`, errBytes, 'Errors')];
}

const PART_TEMPLATE = '{?lines,head,tail,bytes,search,regex}';
const PART_HELP =
  'lines=10-20, head=50, tail=50, bytes=0-4096, search=some text or regex=a pattern select a part; the default is as much as fits';

export const RESOURCE_TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: `artifact://{id}${PART_TEMPLATE}`,
      name: 'artifact',
      title: 'Full output of a command',
      description: `The output of a command as text. ${PART_HELP}.`,
      mimeType: 'text/plain',
    },
    {
      uriTemplate: `artifact://{id}/err${PART_TEMPLATE}`,
      name: 'artifact-errors',
      title: 'Full error output of a command',
      description: `The stderr of a command, if it is stored separately (profile simple). ${PART_HELP}.`,
      mimeType: 'text/plain',
    },
    {
      uriTemplate: 'job://{id}{?lines,from}',
      name: 'job',
      title: 'A job',
      description:
        'The status and exit code on the first line, then the last lines, or with from=<byte> the output from that offset.',
      mimeType: 'text/plain',
    },
  ],
};

/** The most raw bytes in one response. */
const RAW_BYTES = 1024 * 1024;

export async function readResource(uri: string, bash: Bash): Promise<ReadResourceResult> {
  const parsed = parseResourceUri(uri);
  if (parsed === null) throw new ResourceNotFoundError(uri);
  try {
    return { contents: [{ uri, ...(await readParsedResource(parsed, bash)) }] };
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    if (error.code === 'bad_input') throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw new ResourceNotFoundError(uri, error.message);
  }
}

type ResourceContent =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string };

async function readParsedResource(uri: ResourceUri, bash: Bash): Promise<ResourceContent> {
  return uri.kind === 'job'
    ? readJobResource(uri, bash)
    : readArtifactResource(bash.artifacts.open(uri.name), uri.query);
}

/** Returns the same text as the job tool. */
async function readJobResource({ id, query }: ResourceUri, bash: Bash): Promise<ResourceContent> {
  const input = { action: 'peek', id, ...numbersOf(query, ['lines', 'from']) };
  const { content, error } = await bash.job(input);
  if (error?.id === 'bad_input') throw badQuery(error.message);
  if (error !== undefined) throw new NacreError('job_not_found', { id });
  return asText(content[0]?.text ?? '');
}

const ARTIFACT_QUERY_NAMES = ['lines', 'head', 'tail', 'bytes', 'search', 'regex'] as const;

async function readArtifactResource(artifact: Artifact, query: URLSearchParams): Promise<ResourceContent> {
  const asked = [...query.keys()];
  const unknown = asked.find((name) => !ARTIFACT_QUERY_NAMES.some((way) => way === name));
  if (unknown !== undefined)
    throw badQuery(`${unknown}: is unknown; available: ${ARTIFACT_QUERY_NAMES.join(', ')}`);
  if (asked.length > 1) throw badQuery(`${asked[1]}: cannot be combined with ${asked[0]}`);
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

/** Returns text when the bytes are text, and otherwise base64. */
async function readBytes(
  artifact: Artifact,
  { from, to }: { from: number; to: number },
): Promise<ResourceContent> {
  const extent = { from, to: Math.min(to, from + RAW_BYTES) };
  const text = await artifact.text(extent);
  if (!text.binary) return withNotes(text);
  const { bytes } = await artifact.bytes(extent);
  return { mimeType: 'application/octet-stream', blob: bytes.toString('base64') };
}

function withNotes({ text, notes }: ArtifactText): ResourceContent {
  if (notes.length === 0) return asText(text);
  return asText(`${text.replace(/\n$/, '')}\n\n${notes.map((note) => `[${note}]`).join('\n')}\n`);
}

function asText(text: string): ResourceContent {
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
  if (unknown !== undefined) throw badQuery(`${unknown}: is unknown; available: ${names.join(', ')}`);
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

export interface ResourceWatcherOptions {
  readonly bash: Bash;
  /** The subscribed URIs. */
  readonly subscribed: () => Iterable<string>;
  readonly onChange: (uri: string) => void;
}

const POLL_MS = 1_000;

/** Polls jobs and artifacts for changes while a job runs or a resource is subscribed to. */
export class ResourceWatcher {
  readonly #options: ResourceWatcherOptions;
  readonly #seen = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #hasJobs = false;

  constructor(options: ResourceWatcherOptions) {
    this.#options = options;
  }

  /** Starts polling after a job was started or a subscription was made. */
  wake(): void {
    this.#hasJobs = true;
    if (this.#timer !== undefined) return;
    this.#look();
    this.#timer = setInterval(() => this.#look(), POLL_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const wanted = new Set([...this.#options.subscribed(), ...this.#runningJobs()]);
    // Resources that have just ended are compared once more.
    for (const uri of new Set([...wanted, ...this.#seen.keys()])) this.#compare(uri);
    for (const uri of this.#seen.keys()) if (!wanted.has(uri)) this.#seen.delete(uri);
    if (wanted.size === 0) this.close();
  }

  #runningJobs(): readonly string[] {
    if (!this.#hasJobs) return [];
    const running = this.#options.bash.jobs.list().filter(({ state }) => state === 'running');
    this.#hasJobs = running.length > 0;
    return running.flatMap(({ id }) => [`job://${id}`, `artifact://${id}`]);
  }

  #compare(uri: string): void {
    const now = this.#fingerprint(uri);
    const before = this.#seen.get(uri);
    this.#seen.set(uri, now);
    if (before !== undefined && before !== now) this.#options.onChange(uri);
  }

  /** A missing resource has the fingerprint `''`, so its creation is a change. */
  #fingerprint(uri: string): string {
    const parsed = parseResourceUri(uri);
    if (parsed === null) return '';
    try {
      const { artifacts, jobs } = this.#options.bash;
      const { totalBytes } = artifacts.open(parsed.name);
      return parsed.kind === 'artifact' ? `${totalBytes}` : `${totalBytes} ${jobs.find(parsed.id).state}`;
    } catch {
      return '';
    }
  }
}
