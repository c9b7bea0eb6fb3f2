import type { UrlOptions } from '../options/url-options.ts';
import type { ArtifactFiles } from './artifact-scheme.ts';
import { createArtifactScheme } from './artifact-scheme.ts';
import type { UrlSchemes } from './expand-urls.ts';
import { createLocalScheme } from './local-scheme.ts';
import { createOwnScheme } from './own-scheme.ts';
import { createSkillScheme } from './skill-scheme.ts';

/** What the schemes of one session resolve from. */
export interface SchemeSources {
  readonly urls: Required<UrlOptions>;
  readonly localDirectory: string;
  readonly artifacts: ArtifactFiles;
}

/** Every scheme of a session. The caller's own come last and may take the place of ours. */
export function knownSchemes({ urls, localDirectory, artifacts }: SchemeSources): UrlSchemes {
  const own = Object.entries(urls.schemes).map(
    ([name, resolver]) => [name, createOwnScheme(resolver)] as const,
  );
  return {
    artifact: createArtifactScheme(artifacts),
    local: createLocalScheme(localDirectory),
    skill: createSkillScheme(urls.skills),
    ...Object.fromEntries(own),
  };
}
