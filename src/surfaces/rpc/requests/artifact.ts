import type { Artifact, Artifacts } from '../../../index.ts';
import type { ResponseData } from '../protocol.ts';
import { badField, count, range, readFields, text, truth } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

const LAST_LINES = 100;
/** Of raw bytes in one answer; the answer says where it ended. */
const RAW_BYTES = 1024 * 1024;

export async function readArtifact(
  fields: Fields,
  artifacts: Artifacts,
): Promise<ResponseData['read_artifact']> {
  const kinds = { artifact: text, lines: range(1), head: count, tail: count, bytes: range(0), raw: truth };
  const asked = readFields(fields, kinds, 'artifact');
  const { lines, head, tail, bytes, raw = false } = asked;
  const ways = (['lines', 'head', 'tail', 'bytes'] as const).filter((name) => asked[name] !== undefined);
  if (ways.length > 1) throw badField(ways[1] ?? '', `cannot go with ${ways[0]}: each names a part`);
  if (raw && bytes === undefined) throw badField('raw', 'goes with bytes only');
  const artifact = artifacts.open(asked.artifact);
  const { totalBytes } = artifact;
  if (bytes !== undefined && raw) return { ...(await readRaw(artifact, bytes)), totalBytes };
  if (bytes !== undefined) return { ...(await artifact.text(bytes)), totalBytes };
  if (lines !== undefined) return { ...(await artifact.lines(lines)), totalBytes };
  const read = head === undefined ? artifact.tail(tail ?? LAST_LINES) : artifact.head(head);
  return { ...(await read), totalBytes };
}

async function readRaw(artifact: Artifact, { from, to }: { from: number; to: number }) {
  const piece = await artifact.bytes({ from, to: Math.min(to, from + RAW_BYTES) });
  return { base64: piece.bytes.toString('base64'), from: piece.from, to: piece.to, notes: piece.notes };
}

export async function searchArtifact(
  fields: Fields,
  artifacts: Artifacts,
): Promise<ResponseData['search_artifact']> {
  const kinds = { artifact: text, pattern: text, regex: truth, limit: count, context: count };
  const { artifact: name, pattern, regex = false, ...how } = readFields(fields, kinds, 'artifact', 'pattern');
  const artifact = artifacts.open(name);
  const matches = await artifact.search({ pattern: regex ? toPattern(pattern) : pattern, ...how });
  return { ...matches, totalBytes: artifact.totalBytes };
}

function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw badField('pattern', error instanceof Error ? error.message : String(error));
  }
}
