import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from '../../engine/hosts/host.ts';
import { createSandboxHost } from '../../engine/hosts/sandbox/sandbox-host.ts';
import {
  DEFAULT_SANDBOX_LIMITS,
  resolveSandboxPreset,
  type SandboxSpec,
} from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { findProgram } from '../../engine/shell/find-program.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { expandHome, type SandboxConfig } from '../options/host-config.ts';

interface SandboxCreation {
  readonly options: ResolvedOptions;
  readonly localDirectory: string;
  readonly sandboxArtifactsDirectory: string;
}

/** Opens a sandbox around the session's directory. */
export function openSandbox(config: SandboxConfig, creation: SandboxCreation): Host {
  const { options, localDirectory, sandboxArtifactsDirectory } = creation;
  const bwrap = findProgram('bwrap', options.inheritedEnv.PATH ?? '');
  if (bwrap === null)
    throw new NacreError('sandbox_unavailable', {
      reason: 'there is no bwrap in PATH (Debian, Fedora, Arch: the package bubblewrap)',
    });
  for (const directory of [localDirectory, sandboxArtifactsDirectory])
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  return createSandboxHost({ spec: toSandboxSpec(config, creation), bwrap, onExit: 'end' });
}

function toSandboxSpec(
  config: SandboxConfig,
  { options, localDirectory, sandboxArtifactsDirectory }: SandboxCreation,
): SandboxSpec {
  const home = options.inheritedEnv.HOME || homedir();
  const { isWorkspaceWritable, network } = resolveSandboxPreset(config.preset ?? 'workspace');
  const expand = (paths: readonly string[] = []): string[] => paths.map((path) => expandHome(path, home));
  const named = expand(config.writable);
  rejectMissing(named);
  const guarded = findProtectedFiles({
    writable: isWorkspaceWritable ? [options.cwd, ...named] : named,
    home,
    env: options.inheritedEnv,
  });
  const readable = [...expand(config.readable), ...expand(Object.values(options.urls.skills))];
  return {
    workspace: options.cwd,
    isWorkspaceWritable,
    writable: [...named, ...guarded.anchors, localDirectory],
    readable: [...readable, ...guarded.readable, sandboxArtifactsDirectory],
    hidden: [...expand(config.hidden), ...guarded.hidden],
    network: config.network ?? network,
    unixSockets: config.unixSockets ?? false,
    limits: {
      memoryBytes: config.memoryBytes ?? DEFAULT_SANDBOX_LIMITS.memoryBytes,
      processes: config.processes ?? DEFAULT_SANDBOX_LIMITS.processes,
      cpus: config.cpus ?? DEFAULT_SANDBOX_LIMITS.cpus,
      scratchBytes: config.scratchBytes ?? DEFAULT_SANDBOX_LIMITS.scratchBytes,
    },
    home,
    stateDirectory: options.stateDirectory,
  };
}

/** Paths that a sandbox may write, with the user's home directory and environment. */
interface WritablePaths {
  readonly writable: readonly string[];
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Files that a sandbox must not change although their directory is writable, because they control programs
 * outside.
 */
interface ProtectedFiles {
  readonly hidden: readonly string[];
  readonly readable: readonly string[];
  /** Their parent directories. Each is a separate mount, so that it cannot be renamed. */
  readonly anchors: readonly string[];
}

/** Finds the settings, cache and program files of nacre inside writable paths. */
function findProtectedFiles({ writable, home, env }: WritablePaths): ProtectedFiles {
  const places = writable.map(realpathOfExisting);
  rejectWritableHome(places, realpathOfExisting(home));
  const isInside = (path: string): boolean => places.some((place) => containsPath(place, path));
  const ours = [
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'nacre'),
    join(env.XDG_CACHE_HOME || join(home, '.cache'), 'nacre'),
  ]
    .map(realpathOfExisting)
    .filter(isInside);
  // A path that does not exist cannot be hidden, and the sandbox could create it.
  for (const path of ours) mkdirSync(path, { recursive: true, mode: 0o700 });
  const readable = findOwnProgramFiles().filter(isInside);
  const anchors = [...ours, ...readable].flatMap((path) => parentDirectoriesWithin(places, path));
  return { hidden: ours, readable, anchors: [...new Set(anchors)] };
}

function parentDirectoriesWithin(places: readonly string[], path: string): string[] {
  const above: string[] = [];
  for (
    let at = dirname(path);
    places.some((place) => at !== place && containsPath(place, at));
    at = dirname(at)
  )
    above.push(at);
  return above;
}

/** A missing path could not be mounted, and writes to it would fail without a visible reason. */
function rejectMissing(writable: readonly string[]): void {
  const missing = writable.find((path) => !existsSync(path));
  if (missing === undefined) return;
  const reason = `the 'writable' path ${missing} does not exist. Create it, or remove it from the list`;
  throw new NacreError('sandbox_unavailable', { reason });
}

/** A home directory contains too many files that run at login to protect each of them. */
function rejectWritableHome(places: readonly string[], home: string): void {
  const found = places.find((place) => containsPath(place, home));
  if (found === undefined) return;
  const reason = `${found} would be writable and is or contains your home directory (${home}), where files run when you log in. Start in a directory below it, or use sandbox/read-only`;
  throw new NacreError('sandbox_unavailable', { reason });
}

/** The installed package, or the built files of a working copy. */
function findOwnProgramFiles(): string[] {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  return [join(root, 'dist'), join(root, 'bin'), join(root, 'package.json')]
    .filter(existsSync)
    .map(realpathOfExisting);
}

function containsPath(place: string, path: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

/** Resolves symbolic links of the existing part of a path. */
function realpathOfExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path
      ? path
      : join(realpathOfExisting(dirname(path)), path.slice(dirname(path).length));
  }
}
