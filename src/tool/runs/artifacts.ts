import type { RunStore } from '../../engine/run/store.ts';
import type { ArtifactFiles } from '../urls/artifact-scheme.ts';

export interface Artifacts {
  readonly files: ArtifactFiles;
}

export function createArtifacts(_: { store: RunStore; session: string | null }): Artifacts {
  return { files: { path: async () => null, ids: async () => [] } };
}
