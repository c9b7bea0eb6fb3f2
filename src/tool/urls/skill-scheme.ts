import { access, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownValue } from '../../engine/text/own-value.ts';
import { NacreError } from '../../errors.ts';
import { containedPath } from './contained.ts';
import { listed } from './listed.ts';
import type { InternalUrl, UrlScheme } from './scheme.ts';

/** `skill://<name>/<path>`: a file in a folder that the caller registered. */
export function createSkillScheme(folders: Readonly<Record<string, string>>): UrlScheme {
  return {
    resolve: async (url) => {
      const { name, path } = split(url.rest);
      const root = ownValue(folders, name);
      if (root === undefined) throw unknownSkill({ url, name, known: Object.keys(folders) });
      const target = await containedPath({ root, path, url });
      await requirePresent(target, url);
      return { path: target, make: null };
    },
  };
}

function split(rest: string): { name: string; path: string } {
  const slash = rest.indexOf('/');
  if (slash === -1) return { name: rest, path: '' };
  return { name: rest.slice(0, slash), path: rest.slice(slash + 1) };
}

function unknownSkill(wrong: { url: InternalUrl; name: string; known: readonly string[] }): NacreError {
  const { url, name, known } = wrong;
  const reason = `there is no skill "${name}". ${listed('Skills', known)}`;
  return new NacreError('url_unresolved', { url: url.url, reason });
}

async function requirePresent(target: string, url: InternalUrl): Promise<void> {
  try {
    await access(target);
  } catch {
    const beside = await readdir(dirname(target)).catch(() => []);
    const reason = `there is no such file in the skill. ${listed('Files there', beside)}`;
    throw new NacreError('url_unresolved', { url: url.url, reason });
  }
}
