import { access, lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ownProperty } from '../../engine/text/own-property.ts';
import { NacreError } from '../../errors.ts';
import type { InternalUrl, UrlResolver, UrlScheme, UrlTarget } from '../contract/url-scheme.ts';
import type { UrlOptions } from '../options/bash-options.ts';
import type { UrlSchemes } from './expand-urls.ts';

/** Directories and artifacts that the URL schemes of a session resolve to. */
interface SchemeSources {
  readonly urls: Required<UrlOptions>;
  readonly localDirectory: string;
  readonly artifacts: ArtifactFiles;
  /** Name of a host that does not see files of this machine; `null` when commands see them. */
  readonly remoteHostName: string | null;
}

/** Creates the URL schemes of a session. The caller's schemes replace built-in ones of the same name. */
export function createUrlSchemes({
  urls,
  localDirectory,
  artifacts,
  remoteHostName,
}: SchemeSources): UrlSchemes {
  const unreachable = remoteHostName === null ? null : createUnreachableScheme(remoteHostName);
  const own = Object.entries(urls.schemes).map(
    ([name, resolver]) => [name, createCallerScheme(resolver)] as const,
  );
  return {
    artifact: unreachable ?? createArtifactScheme(artifacts),
    local: unreachable ?? createLocalScheme(localDirectory),
    skill: unreachable ?? createSkillScheme(urls.skills),
    ...Object.fromEntries(own),
  };
}

function createUnreachableScheme(host: string): UrlScheme {
  return {
    resolve: async (url) => {
      throw unresolvedUrl(
        url,
        `it is a file on the machine that runs nacre, but this command runs on ${host}. Create the content again on that host`,
      );
    },
  };
}

/** Artifact files of a session, for the `artifact` scheme. */
export interface ArtifactFiles {
  /** Files with the raw output of a run of this session; `null` for an unknown run. */
  paths(artifact: string): readonly string[] | null;
  ids(): readonly string[];
}

/**
 * Creates the scheme `artifact://<run id>` (`…/err` for a separate stderr): the raw output of a run of this
 * session.
 */
function createArtifactScheme(files: ArtifactFiles): UrlScheme {
  return {
    resolve: async (url) => {
      const paths = files.paths(url.rest);
      if (paths !== null) return toSinglePath(url, paths);
      const known = renderNameList('Artifacts', files.ids());
      throw unresolvedUrl(url, `there is no such artifact in this session. ${known}`);
    },
  };
}

function toSinglePath(url: InternalUrl, [path, ...others]: readonly string[]): UrlTarget {
  // A run that printed nothing has no file.
  if (path === undefined) return { path: '/dev/null', directoryToCreate: null };
  if (others.length === 0) return { path, directoryToCreate: null };
  const files = [path, ...others].join(' ');
  throw unresolvedUrl(url, `it was too large to keep whole; its parts are separate files: ${files}`);
}

/**
 * Creates the scheme `local://<path>`: a file in the session's directory. The file need not exist; its parent
 * directories are created.
 */
function createLocalScheme(root: string): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await resolveContainedPath({ root, path: url.rest, url });
      const isDirectory = url.rest === '' || url.rest.endsWith('/');
      return { path, directoryToCreate: isDirectory ? path : dirname(path) };
    },
  };
}

/** Creates the scheme `skill://<name>/<path>`: a file in a directory that the caller registered. */
function createSkillScheme(directories: Readonly<Record<string, string>>): UrlScheme {
  return {
    resolve: async (url) => {
      const { name, path } = splitSkillPath(url.rest);
      const root = ownProperty(directories, name);
      if (root === undefined) {
        const known = renderNameList('Skills', Object.keys(directories));
        throw unresolvedUrl(url, `there is no skill "${name}". ${known}`);
      }
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

async function requireSkillFile(target: string, url: InternalUrl): Promise<void> {
  try {
    await access(target);
  } catch {
    const siblings = await readdir(dirname(target)).catch(() => []);
    throw unresolvedUrl(
      url,
      `there is no such file in the skill. ${renderNameList('Files there', siblings)}`,
    );
  }
}

/** Creates a scheme from a resolver function of the caller. */
export function createCallerScheme(resolver: UrlResolver): UrlScheme {
  return {
    resolve: async (url) => {
      const path = await callResolver(resolver, url);
      if (path === null) throw unresolvedUrl(url, 'its resolver does not know this name');
      if (!isAbsolute(path) || path.includes('\0'))
        throw unresolvedUrl(url, 'its resolver returned no absolute path');
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

/** A path in a directory, and the URL that names it. */
interface ContainedPathRequest {
  readonly root: string;
  readonly path: string;
  readonly url: InternalUrl;
}

/**
 * Resolves a path inside a directory. Refuses to leave it by dots, encoded dots, absolute paths or symbolic
 * links.
 */
async function resolveContainedPath({ root, path, url }: ContainedPathRequest): Promise<string> {
  rejectTraversal(path, url);
  const target = join(root, path);
  const [top, real] = await Promise.all([realpathOrNearest(root), realpathOrNearest(target)]);
  if (top === null || real === null || (real !== top && !real.startsWith(`${top}/`))) {
    throw new NacreError('url_forbidden', { url: url.url, reason: 'it leads out of its directory' });
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

/** Resolves symbolic links of a path that may not exist yet. `null` for a dangling link. */
async function realpathOrNearest(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    // Writing through a dangling link would create a file outside the directory.
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

/** Renders known names for an error message: the first 20 and the number of others. */
function renderNameList(title: string, names: readonly string[]): string {
  if (names.length === 0) return `${title}: none`;
  const shown = [...names].sort().slice(0, MAX_LISTED_NAMES).join(', ');
  const more = names.length - MAX_LISTED_NAMES;
  return `${title}: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
