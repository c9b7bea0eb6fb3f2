/** A resource by its parts. */
export interface ResourceUri {
  readonly kind: 'artifact' | 'job';
  readonly id: string;
  /** What `artifacts.open` takes. */
  readonly name: string;
  /** Without the part that is asked for. */
  readonly base: string;
  readonly query: URLSearchParams;
}

/** `null` for what is none of ours. */
export function parseResourceUri(uri: string): ResourceUri | null {
  const [, kind, id = '', err = '', query = ''] =
    /^(artifact|job):\/\/([\w.-]+)(\/err)?(?:\?(.*))?$/.exec(uri) ?? [];
  if (kind === 'job' && err === '')
    return { kind, id, name: id, base: `job://${id}`, query: new URLSearchParams(query) };
  if (kind !== 'artifact') return null;
  const name = `${id}${err}`;
  return { kind, id, name, base: `artifact://${name}`, query: new URLSearchParams(query) };
}
