import { access, lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ownProperty } from '../../engine/text/own-property.ts';
import { NacreError } from '../../errors.ts';
import type { InternalUrl, UrlResolver, UrlScheme, UrlTarget } from '../contract/url-scheme.ts';
import type { UrlOptions } from '../options/bash-options.ts';
import type { UrlSchemes } from './expand-urls.ts';

/** What the schemes of one session resolve from. */
export interface SchemeSources {
  readonly urls: Required<UrlOptions>;
  readonly localDirectory: string;
  readonly artifacts: ArtifactFiles;
  /** Where commands run that do not see our files at all; `null`: they see what a URL stands for. */
  readonly remoteHostName: string | null;
}

/** Every scheme of a session. The caller's own come last and may take the place of ours. */
export function createUrlSchemes({
  urls,
  localDirectory,
  artifacts,
  remoteHostName,
}: SchemeSources): UrlSchemes {
  const own = Object.entries(urls.schemes).map(
    ([name, resolver]) => [name, createCallerScheme(resolver)] as const,
  );
  const here =
    remoteHostName === null
      ? {
          artifact: createArtifactScheme(artifacts),
          local: createLocalScheme(localDirectory),
          skill: createSkillScheme(urls.skills),
        }
      : {
          artifact: createUnreachableScheme(remoteHostName),
          local: createUnreachableScheme(remoteHostName),
          skill: createUnreachableScheme(remoteHostName),
        };
  return { ...here, ...Object.fromEntries(own) };
}

/** What it stands for is on this machine. */
function createUnreachableScheme(host: string): UrlScheme {
  return {
    resolve: async ({ url }) => {
      const reason = `it is a file on the machine that nacre runs on, and this command runs on ${host}. Print or fetch there what you need again`;
      throw new NacreError('url_unresolved', { url, reason });
    },
  };
}

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
      return toSinglePath(url, paths);
    },
  };
}

function unknownArtifact({ url }: InternalUrl, ids: readonly string[]): NacreError {
  const reason = `there is no such artifact in this session. ${renderNameList('Artifacts', ids)}`;
  return new NacreError('url_unresolved', { url, reason });
}

function toSinglePath({ url }: InternalUrl, [path, ...others]: readonly string[]): UrlTarget {
  // What printed nothing has no file, and reads like an empty one.
  if (path === undefined) return { path: '/dev/null', directoryToCreate: null };
  if (others.length === 0) return { path, directoryToCreate: null };
  const reason = `it was too large to be kept whole, and its parts are files of their own: ${[path, ...others].join(' ')}`;
  throw new NacreError('url_unresolved', { url, reason });
}

/** `local://<path>`: a file in the session's own folder. It need not exist; its parents will. */
export function createLocalScheme(root: string): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await resolveContainedPath({ root, path: url.rest, url });
      const isFolder = url.rest === '' || url.rest.endsWith('/');
      return { path, directoryToCreate: isFolder ? path : dirname(path) };
    },
  };
}

/** `skill://<name>/<path>`: a file in a folder that the caller registered. */
export function createSkillScheme(folders: Readonly<Record<string, string>>): UrlScheme {
  return {
    resolve: async (url) => {
      const { name, path } = splitSkillPath(url.rest);
      const root = ownProperty(folders, name);
      if (root === undefined) throw unknownSkill({ url, name, known: Object.keys(folders) });
      const target = await resolveContainedPath({ root, path, url });
      await requireSkillFile(target, url);
      return { path: target, directoryToCreate: null };
    },
  };
}

function splitSkillPath(rest: string): { name: string; path: string } {
  const slash = rest.indexOf('/');
  if (slash === -1) return { name: rest, path: '' };
  return { name: rest.slice(0, slash), path: rest.slice(slash + 1) };
}

function unknownSkill(wrong: { url: InternalUrl; name: string; known: readonly string[] }): NacreError {
  const { url, name, known } = wrong;
  const reason = `there is no skill "${name}". ${renderNameList('Skills', known)}`;
  return new NacreError('url_unresolved', { url: url.url, reason });
}

async function requireSkillFile(target: string, url: InternalUrl): Promise<void> {
  try {
    await access(target);
  } catch {
    const beside = await readdir(dirname(target)).catch(() => []);
    const reason = `there is no such file in the skill. ${renderNameList('Files there', beside)}`;
    throw new NacreError('url_unresolved', { url: url.url, reason });
  }
}

/** A scheme that the caller's own code resolves. */
export function createCallerScheme(resolver: UrlResolver): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await callResolver(resolver, url);
      if (path === null) throw unresolvedUrl(url, `nothing is known under this name`);
      if (!isAbsolute(path) || path.includes('\0'))
        throw unresolvedUrl(url, 'its resolver gave no absolute path');
      return { path, directoryToCreate: null };
    },
  };
}

async function callResolver(resolver: UrlResolver, url: InternalUrl): Promise<string | null> {
  try {
    return await resolver(url);
  } catch (cause) {
    if (cause instanceof NacreError) throw cause;
    throw unresolvedUrl(url, cause instanceof Error ? cause.message : String(cause));
  }
}

function unresolvedUrl(url: InternalUrl, reason: string): NacreError {
  return new NacreError('url_unresolved', { url: url.url, reason });
}

/** A folder, and a path in it that a URL names. */
export interface ContainedPathRequest {
  readonly root: string;
  readonly path: string;
  readonly url: InternalUrl;
}

/** The path in the folder. Refuses every way out of it: dots, encoded dots, absolute paths, symbolic links. */
export async function resolveContainedPath({ root, path, url }: ContainedPathRequest): Promise<string> {
  rejectTraversal(path, url);
  const target = join(root, path);
  const [top, real] = await Promise.all([realpathOrNearest(root), realpathOrNearest(target)]);
  if (top === null || real === null || (real !== top && !real.startsWith(`${top}/`))) {
    throw new NacreError('url_forbidden', { url: url.url, reason: 'it leads out of its folder' });
  }
  return target;
}

function rejectTraversal(path: string, url: InternalUrl): void {
  const refuse = (reason: string): never => {
    throw new NacreError('url_forbidden', { url: url.url, reason });
  };
  if (path.startsWith('/')) refuse('an absolute path is not allowed here');
  if (/%(?:2e|2f|5c|00)/i.test(url.url)) refuse('dots, slashes and NUL must not be encoded');
  if (path.split('/').includes('..')) refuse('".." is not allowed here');
}

/** Where a path really is; for one that does not exist yet, where it would be. `null` for a link to nowhere. */
async function realpathOrNearest(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    // Writing through a dangling link would make a file wherever it points.
    if (await isSymbolicLink(path)) return null;
    const parent = await realpathOrNearest(dirname(path));
    return parent === null ? null : join(parent, basename(path));
  }
}

async function isSymbolicLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() ?? false;
}

const MAX_LISTED_NAMES = 20;

/** What there is, for an error that names it: the first of them, and how many more. */
export function renderNameList(title: string, names: readonly string[]): string {
  if (names.length === 0) return `${title}: none`;
  const shown = [...names].sort().slice(0, MAX_LISTED_NAMES).join(', ');
  const more = names.length - MAX_LISTED_NAMES;
  return `${title}: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
