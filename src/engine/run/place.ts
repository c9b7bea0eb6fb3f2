import type { RunTree, TreeRoot } from './tree/tree.ts';

/**
 * A place that a run's command is started in by somebody else than its supervisor: inside a sandbox. The supervisor's own
 * child stands in for the command there, and ends as it does.
 */
export interface RunPlace {
  /** A directory of named pipes, `out`, `err` and `in`: the supervisor opens these instead of making its own. */
  readonly pipes: string;
  /** Who belongs to the run: its processes are not the supervisor's children. */
  readonly tree: (root: TreeRoot) => RunTree;
}
