import type { Snapshot, SnapshotStore } from '../../engine/shell/snapshot/snapshot-store.ts';

interface SnapshotNeeds {
  readonly env: Readonly<Record<string, string>>;
  readonly callEnv: Readonly<Record<string, string>>;
}

/** The user's shell for the commands of a session, and what to say when it cannot be had. */
export class Snapshots {
  readonly #store: SnapshotStore | null;
  readonly #shell: () => string;
  #told: string | null = null;
  #last: Snapshot | null = null;

  /** Without a store there are none. */
  constructor(store: SnapshotStore | null, shell: () => string) {
    this.#store = store;
    this.#shell = shell;
  }

  async find({
    env,
    callEnv,
  }: SnapshotNeeds): Promise<{ readonly snapshot: Snapshot | null; readonly notes: readonly string[] }> {
    // A call with a home or a path of its own gets what the session has; nothing is taken for it alone.
    if (this.#store === null || 'PATH' in callEnv || 'HOME' in callEnv)
      return { snapshot: this.#last, notes: [] };
    const { snapshot, failure } = await this.#store.find({ shell: this.#shell(), env });
    const isNews = failure !== null && failure !== this.#told;
    this.#told = failure;
    this.#last = snapshot;
    return { snapshot, notes: isNews ? [renderFailure(failure)] : [] };
  }
}

function renderFailure(reason: string): string {
  return `Commands run without your shell's configuration (aliases, functions, PATH): ${reason}.`;
}
