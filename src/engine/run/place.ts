import type { Surveyor } from './tree/survey.ts';
import type { RunTree, TreeRoot } from './tree/tree.ts';

/**
 * A place that a run's command is started in by somebody else than its supervisor: inside a sandbox. The supervisor's own
 * child stands in for the command there, and ends as it does.
 */
export interface RunPlace {
  /** A directory of named pipes, `out`, `err` and `in`, that the supervisor opens instead of its own; `null` for none. */
  readonly pipes: string | null;
  /** A shell file: what the supervisor's child does instead of becoming the command. */
  readonly standIn: string;
  /** Shell assignments that it reads. */
  readonly settings: string;
  /** Whether it passes its own input on to the command. */
  readonly feeds: boolean;
  /** Who belongs to the run: its processes are not the supervisor's children. */
  readonly tree: (root: TreeRoot, surveyor: Surveyor) => RunTree;
  /** Called with the run's directory before anything is started in it. */
  readonly prepare?: (directory: string, id: string) => void;
}
