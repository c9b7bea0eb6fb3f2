import { NacreError } from '../../errors.ts';
import type { UrlOptions } from '../options/url-options.ts';
import type { ArtifactFiles } from './artifact-scheme.ts';
import { createArtifactScheme } from './artifact-scheme.ts';
import type { UrlSchemes } from './expand-urls.ts';
import { createLocalScheme } from './local-scheme.ts';
import { createOwnScheme } from './own-scheme.ts';
import type { UrlScheme } from './scheme.ts';
import { createSkillScheme } from './skill-scheme.ts';

/** What the schemes of one session resolve from. */
export interface SchemeSources {
  readonly urls: Required<UrlOptions>;
  readonly localDirectory: string;
  readonly artifacts: ArtifactFiles;
  /** Where commands run that do not see our files at all; `null`: they see what a URL stands for. */
  readonly elsewhere: string | null;
}

/** Every scheme of a session. The caller's own come last and may take the place of ours. */
export function knownSchemes({ urls, localDirectory, artifacts, elsewhere }: SchemeSources): UrlSchemes {
  const own = Object.entries(urls.schemes).map(
    ([name, resolver]) => [name, createOwnScheme(resolver)] as const,
  );
  const here =
    elsewhere === null
      ? {
          artifact: createArtifactScheme(artifacts),
          local: createLocalScheme(localDirectory),
          skill: createSkillScheme(urls.skills),
        }
      : { artifact: outOfReach(elsewhere), local: outOfReach(elsewhere), skill: outOfReach(elsewhere) };
  return { ...here, ...Object.fromEntries(own) };
}

/** What it stands for is on this machine. */
function outOfReach(host: string): UrlScheme {
  return {
    resolve: async ({ url }) => {
      const reason = `it is a file on the machine that nacre runs on, and this command runs on ${host}. Print or fetch there what you need again`;
      throw new NacreError('url_unresolved', { url, reason });
    },
  };
}
