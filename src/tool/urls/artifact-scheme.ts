import { NacreError } from '../../errors.ts';
import { listed } from './listed.ts';
import type { InternalUrl, UrlScheme, UrlTarget } from './scheme.ts';

/** What `artifact://` needs to know about the session's runs. */
export interface ArtifactFiles {
  /** The files with the raw output of a run of this session; `null` when there is no such run. */
  paths(artifact: string): readonly string[] | null;
  ids(): readonly string[];
}

/** `artifact://<run id>`, and `…/err` for stderr kept apart: the raw output of a run of this session. */
export function createArtifactScheme(files: ArtifactFiles): UrlScheme {
  return {
    resolve: async (url) => {
      const paths = files.paths(url.rest);
      if (paths === null) throw unknownArtifact(url, files.ids());
      return onePath(url, paths);
    },
  };
}

function unknownArtifact({ url }: InternalUrl, ids: readonly string[]): NacreError {
  const reason = `there is no such artifact in this session. ${listed('Artifacts', ids)}`;
  return new NacreError('url_unresolved', { url, reason });
}

function onePath({ url }: InternalUrl, [path, ...others]: readonly string[]): UrlTarget {
  // What printed nothing has no file, and reads like an empty one.
  if (path === undefined) return { path: '/dev/null', make: null };
  if (others.length === 0) return { path, make: null };
  const reason = `it was too large to be kept whole, and its parts are files of their own: ${[path, ...others].join(' ')}`;
  throw new NacreError('url_unresolved', { url, reason });
}
