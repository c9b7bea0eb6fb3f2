import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Host } from '../../engine/hosts/host.ts';
import { createSandboxHost } from '../../engine/hosts/sandbox/sandbox-host.ts';
import { DEFAULT_LIMITS, presetOf, type SandboxSpec } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { findProgram } from '../../engine/shell/find-program.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { expandHome } from './expand-home.ts';
import { guardFiles } from './guarded-files.ts';
import type { SandboxConfig } from './host-config.ts';

export interface SandboxCreation {
  readonly options: ResolvedOptions;
  readonly localDirectory: string;
  readonly shownDirectory: string;
}

/** A sandbox around the session's directory. */
export function openSandbox(
  config: SandboxConfig,
  { options, localDirectory, shownDirectory }: SandboxCreation,
): Host {
  const bwrap = findProgram('bwrap', options.inheritedEnv.PATH ?? '');
  if (bwrap === null)
    throw new NacreError('sandbox_unavailable', {
      reason: 'there is no bwrap in PATH (Debian, Fedora, Arch: the package bubblewrap)',
    });
  for (const directory of [localDirectory, shownDirectory])
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  return createSandboxHost({
    spec: toSpec(config, { options, localDirectory, shownDirectory }),
    bwrap,
    onExit: 'end',
  });
}

function toSpec(
  config: SandboxConfig,
  { options, localDirectory, shownDirectory }: SandboxCreation,
): SandboxSpec {
  const home = options.inheritedEnv.HOME || homedir();
  const { isWorkspaceWritable, network } = presetOf(config.preset ?? 'workspace');
  const expand = (paths: readonly string[] = []): string[] => paths.map((path) => expandHome(path, home));
  const named = expand(config.writable);
  const guarded = guardFiles({
    writable: isWorkspaceWritable ? [options.cwd, ...named] : named,
    home,
    env: options.inheritedEnv,
  });
  const readable = [...expand(config.readable), ...expand(Object.values(options.urls.skills))];
  return {
    workspace: options.cwd,
    isWorkspaceWritable,
    writable: [...named, ...guarded.anchors, localDirectory],
    readable: [...readable, ...guarded.readable, shownDirectory],
    hidden: [...expand(config.hidden), ...guarded.hidden],
    network: config.network ?? network,
    unixSockets: config.unixSockets ?? false,
    limits: {
      memoryBytes: config.memoryBytes ?? DEFAULT_LIMITS.memoryBytes,
      processes: config.processes ?? DEFAULT_LIMITS.processes,
      cpus: config.cpus ?? DEFAULT_LIMITS.cpus,
      scratchBytes: config.scratchBytes ?? DEFAULT_LIMITS.scratchBytes,
    },
    home,
    stateDirectory: options.stateDirectory,
  };
}
