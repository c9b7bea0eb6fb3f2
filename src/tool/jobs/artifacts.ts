import { Artifact } from '../../engine/output/raw/artifact.ts';
import { listSegments } from '../../engine/output/raw/output-segments.ts';
import { rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import { createSecretMask, type SecretMask } from '../../engine/output/secret-mask.ts';
import type { StreamName } from '../../engine/run/run-files.ts';
import { RunStore, type StoredRun } from '../../engine/run/run-store.ts';
import { type SweepLimits, type SweepReport, sweepRuns } from '../../engine/run/sweep-runs.ts';
import { NacreError } from '../../errors.ts';
import { hasLiveProcesses, toJobInfo } from './job-info.ts';

/** A stored run with the size of its raw output. */
export interface ArtifactInfo
  extends Omit<ReturnType<typeof toJobInfo>, 'outputFile' | 'leftoverPids' | 'state'> {
  /** Bytes of stdout on disk, or of both streams when they are merged. */
  readonly outBytes: number;
  readonly errBytes: number;
}

/**
 * Access to the raw output of stored runs. An artifact name is `artifact://<id>` or `<id>`; the suffix `/err`
 * selects a separate stderr.
 */
export interface Artifacts {
  /** Lists the runs, newest first. */
  list(): readonly ArtifactInfo[];
  /**
   * Opens an artifact for reading in parts.
   *
   * @throws {NacreError} `artifact_not_found` when the run does not exist or belongs to another session
   */
  open(name: string): Artifact;
  /** Output files in order: none when nothing was printed, several when the middle was dropped. */
  paths(name: string): readonly string[];
  /** Deletes a run and its output. Returns `false` and deletes nothing while the run has live processes. */
  remove(id: string): boolean;
  /** Deletes runs of all sessions beyond the age and size limits. */
  sweep(limits: SweepLimits): Promise<SweepReport>;
}

/** Options of `openArtifacts`. */
export interface ArtifactsOptions {
  readonly stateDirectory: string;
  /** `null` selects all sessions. */
  readonly session: string | null;
  /**
   * Values to mask in text that is read.
   *
   * @default []
   */
  readonly mask?: readonly string[];
}

/** Opens the artifacts of one session or of all sessions, for a program that runs no commands itself. */
export function openArtifacts({ stateDirectory, session, mask = [] }: ArtifactsOptions): Artifacts {
  const masked = createSecretMask(mask);
  return createArtifacts({ store: new RunStore(stateDirectory), session, mask: () => masked });
}

/** The store, session filter and secret mask that `createArtifacts` uses. */
interface ArtifactSources {
  readonly store: RunStore;
  readonly session: string | null;
  readonly mask: () => SecretMask;
}

/** Creates access to the artifacts of a session or of all sessions. */
export function createArtifacts({ store, session, mask }: ArtifactSources): Artifacts {
  const isOurs = ({ asked }: StoredRun): boolean => session === null || asked.session === session;
  const find = (name: string): { readonly run: StoredRun; readonly stream: StreamName } => {
    const [, id = '', err] = /^(?:artifact:\/\/)?([^/]*)(\/err)?$/.exec(name) ?? [];
    const run = store.find(id);
    if (run === null || !isOurs(run)) throw new NacreError('artifact_not_found', { artifact: name });
    return { run, stream: err === undefined ? 'out' : 'err' };
  };
  return {
    list: () => store.list().filter(isOurs).map(toArtifactInfo),
    open: (name) => {
      const { run, stream } = find(name);
      const source = rawOutputFromFiles({ directory: run.directory, stream });
      const url = `artifact://${run.id}${stream === 'err' ? '/err' : ''}`;
      return new Artifact({ source, name: url, mask: mask() });
    },
    paths: (name) => {
      const { run, stream } = find(name);
      return listSegments({ directory: run.directory, stream }).map(({ path }) => path);
    },
    remove: (id) => {
      const { run } = find(id);
      if (hasLiveProcesses(run)) return false;
      store.remove(run.id);
      return true;
    },
    sweep: (limits) => sweepRuns(store, limits),
  };
}

function toArtifactInfo(run: StoredRun): ArtifactInfo {
  const { outputFile: _file, leftoverPids: _pids, state: _state, ...info } = toJobInfo(run);
  const size = (stream: StreamName): number =>
    listSegments({ directory: run.directory, stream }).reduce((sum, { from, to }) => sum + to - from, 0);
  return { ...info, outBytes: size('out'), errBytes: size('err') };
}
