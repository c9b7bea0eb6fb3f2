import { Artifact } from '../../engine/output/raw/artifact.ts';
import { listSegments } from '../../engine/output/raw/output-segments.ts';
import { rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import { createSecretMask, type SecretMask } from '../../engine/output/secret-mask.ts';
import type { StreamName } from '../../engine/run/run-files.ts';
import { RunStore, type StoredRun } from '../../engine/run/run-store.ts';
import { type SweepLimits, type SweepReport, sweepRuns } from '../../engine/run/sweep-runs.ts';
import { NacreError } from '../../errors.ts';
import { hasLiveProcesses, toJobInfo } from './job-info.ts';

/** A run whose raw output can be read. */
export interface ArtifactInfo
  extends Omit<ReturnType<typeof toJobInfo>, 'outputFile' | 'leftoverPids' | 'state'> {
  /** On disk: of stdout, or of both streams where they are one. */
  readonly outBytes: number;
  readonly errBytes: number;
}

/** The raw output of runs, kept on disk. A name is `artifact://<id>`, or without its scheme; `…/err` is stderr kept apart. */
export interface Artifacts {
  /** Newest first. */
  list(): readonly ArtifactInfo[];
  /** To be read in parts. Throws `artifact_not_found` for what is not there, or not yours. */
  open(name: string): Artifact;
  /** The files that hold it, in order: one, unless its middle was dropped; none when nothing was printed. */
  paths(name: string): readonly string[];
  /** Forgets a run and its output. `false`: it is still running, and stays. */
  remove(id: string): boolean;
  /** Forgets what is too old or too much, of every session. */
  sweep(limits: SweepLimits): Promise<SweepReport>;
}

/** Whose artifacts. */
export interface ArtifactsOptions {
  readonly stateDirectory: string;
  /** `null`: of every session. */
  readonly session: string | null;
  /**
   * Values that must not show in what is read as text.
   *
   * @default []
   */
  readonly mask?: readonly string[];
}

/** The artifacts of a session, or of all of them, for a program that runs nothing itself. */
export function openArtifacts({ stateDirectory, session, mask = [] }: ArtifactsOptions): Artifacts {
  const masked = createSecretMask(mask);
  return createArtifacts({ store: new RunStore(stateDirectory), session, mask: () => masked });
}

/** Where artifacts are, and how they are shown. */
export interface ArtifactSources {
  readonly store: RunStore;
  readonly session: string | null;
  readonly mask: () => SecretMask;
}

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
      return new Artifact({
        source,
        name: `artifact://${run.id}${stream === 'err' ? '/err' : ''}`,
        mask: mask(),
      });
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
  const { outputFile: _file, leftoverPids: _behind, state: _state, ...info } = toJobInfo(run);
  const size = (stream: StreamName): number =>
    listSegments({ directory: run.directory, stream }).reduce((sum, { from, to }) => sum + to - from, 0);
  return { ...info, outBytes: size('out'), errBytes: size('err') };
}
