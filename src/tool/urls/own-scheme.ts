import { isAbsolute } from 'node:path';
import { NacreError } from '../../errors.ts';
import type { InternalUrl, UrlResolver, UrlScheme } from './scheme.ts';

/** A scheme that the caller's own code resolves. */
export function createOwnScheme(resolver: UrlResolver): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await ask(resolver, url);
      if (path === null) throw unresolved(url, `nothing is known under this name`);
      if (!isAbsolute(path) || path.includes('\0'))
        throw unresolved(url, 'its resolver gave no absolute path');
      return { path, make: null };
    },
  };
}

async function ask(resolver: UrlResolver, url: InternalUrl): Promise<string | null> {
  try {
    return await resolver(url);
  } catch (cause) {
    if (cause instanceof NacreError) throw cause;
    throw unresolved(url, cause instanceof Error ? cause.message : String(cause));
  }
}

function unresolved(url: InternalUrl, reason: string): NacreError {
  return new NacreError('url_unresolved', { url: url.url, reason });
}
