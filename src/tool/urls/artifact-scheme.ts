import { NacreError } from '../../errors.ts';
import { listed } from './listed.ts';
import type { UrlScheme } from './scheme.ts';

/** What `artifact://` needs to know about the session's runs. */
export interface ArtifactFiles {
  /** The raw output of a run of this session, or `null` when there is none. */
  path(artifact: string): Promise<string | null>;
  ids(): Promise<readonly string[]>;
}

/** `artifact://<run id>`, and `…/err` for stderr kept apart: the raw output of a run of this session. */
export function createArtifactScheme(files: ArtifactFiles): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await files.path(url.rest);
      if (path !== null) return { path, make: null };
      const reason = `there is no such artifact in this session. ${listed('Artifacts', await files.ids())}`;
      throw new NacreError('url_unresolved', { url: url.url, reason });
    },
  };
}
