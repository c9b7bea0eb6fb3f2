import { dirname } from 'node:path';
import { containedPath } from './contained.ts';
import type { UrlScheme } from './scheme.ts';

/** `local://<path>`: a file in the session's own folder. It need not exist; its parents will. */
export function createLocalScheme(root: string): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await containedPath({ root, path: url.rest, url });
      const isFolder = url.rest === '' || url.rest.endsWith('/');
      return { path, make: isFolder ? path : dirname(path) };
    },
  };
}
