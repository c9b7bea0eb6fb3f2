import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
} from '@modelcontextprotocol/server';
import type { ArtifactInfo, Bash, JobInfo } from '../../../index.ts';

const PAGE = 100;

/** Jobs, then artifacts, each newest first. */
export function listResources({ jobs, artifacts }: Bash, cursor: string | undefined): ListResourcesResult {
  const all = [...jobs.list().map(fromJob), ...artifacts.list().flatMap(fromArtifact)];
  const from = cursor === undefined ? 0 : all.findIndex(({ uri }) => uri === cursor) + 1;
  if (cursor !== undefined && from === 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor names a resource that is not there any more.',
    );
  const page = all.slice(from, from + PAGE);
  const last = page.at(-1);
  return {
    resources: page,
    ...(from + PAGE < all.length && last !== undefined ? { nextCursor: last.uri } : {}),
  };
}

function fromJob(job: JobInfo): Resource {
  const { id, name, label, state, startedAt, endedAt } = job;
  return {
    uri: `job://${id}`,
    name: name ?? id,
    title: `Job: ${label}`,
    description: `${state}; the status, and the end of what it printed`,
    mimeType: 'text/plain',
    annotations: { lastModified: new Date(endedAt ?? startedAt).toISOString() },
  };
}

function fromArtifact({ id, label, outBytes, errBytes, startedAt, endedAt }: ArtifactInfo): Resource[] {
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

const PART = '{?lines,head,tail,bytes,search,regex}';
const PARTS =
  'lines=10-20, head=50, tail=50, bytes=0-4096, search=some text or regex=a pattern name a part; without one as much as fits';

export const RESOURCE_TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: `artifact://{id}${PART}`,
      name: 'artifact',
      title: 'Full output of a command',
      description: `What a command printed, as text. ${PARTS}.`,
      mimeType: 'text/plain',
    },
    {
      uriTemplate: `artifact://{id}/err${PART}`,
      name: 'artifact-errors',
      title: 'Full error output of a command',
      description: `Its stderr, where that is kept apart (profile simple). ${PARTS}.`,
      mimeType: 'text/plain',
    },
    {
      uriTemplate: 'job://{id}{?lines,from}',
      name: 'job',
      title: 'A job',
      description:
        'Its status and exit code on the first line, then its last lines, or with from=<byte> what it printed from there on.',
      mimeType: 'text/plain',
    },
  ],
};
