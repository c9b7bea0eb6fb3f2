import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NacreError } from '../../errors.ts';
import type { InternalUrl } from './scheme.ts';

/** A folder, and a path in it that a URL names. */
export interface Contained {
  readonly root: string;
  readonly path: string;
  readonly url: InternalUrl;
}

/** The path in the folder. Refuses every way out of it: dots, encoded dots, absolute paths, symbolic links. */
export async function containedPath({ root, path, url }: Contained): Promise<string> {
  refuseTricks(path, url);
  const target = join(root, path);
  const [top, real] = await Promise.all([realOrNearest(root), realOrNearest(target)]);
  if (top === null || real === null || (real !== top && !real.startsWith(`${top}/`))) {
    throw new NacreError('url_forbidden', { url: url.url, reason: 'it leads out of its folder' });
  }
  return target;
}

function refuseTricks(path: string, url: InternalUrl): void {
  const refuse = (reason: string): never => {
    throw new NacreError('url_forbidden', { url: url.url, reason });
  };
  if (path.startsWith('/')) refuse('an absolute path is not allowed here');
  if (/%(?:2e|2f|5c|00)/i.test(url.url)) refuse('dots, slashes and NUL must not be encoded');
  if (path.split('/').includes('..')) refuse('".." is not allowed here');
}

/** Where a path really is; for one that does not exist yet, where it would be. `null` for a link to nowhere. */
async function realOrNearest(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    // Writing through a dangling link would make a file wherever it points.
    if (await isLink(path)) return null;
    const parent = await realOrNearest(dirname(path));
    return parent === null ? null : join(parent, basename(path));
  }
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() ?? false;
}
