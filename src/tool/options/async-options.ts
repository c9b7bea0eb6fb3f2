export interface AsyncOptions {
  /**
   * Whether a model may start jobs (`async: true`, `mode: "background"`).
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * How many jobs of a session may live at once.
   *
   * @default 64
   */
  readonly maxJobs?: number;
  /** Calls of the `agent` profile that outlive their wait. */
  readonly autoBackground?: AutoBackgroundOptions;
}

export interface AutoBackgroundOptions {
  /**
   * Whether a call that outlives `afterMs` returns what there is, and its command goes on as a job. Jobs must be on
   * for it; a call's own `wait` counts either way.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * How long a call waits that does not say it, in milliseconds.
   *
   * @default 60_000
   */
  readonly afterMs?: number;
}
