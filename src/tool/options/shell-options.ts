/** What a new shell knows of the one before it, and of the user's own. */
export interface ShellOptions {
  /**
   * Whether what a command changes in its shell is there in the next call of the session: directory, variables,
   * functions, aliases, umask and options.
   *
   * @default true; false in `modes` and `simple`
   */
  readonly shellState?: boolean;
  /**
   * Whether commands of a session that keeps its shell have the user's own functions, aliases, options and `PATH`, as an
   * interactive login shell has them. They are taken once, and again when the files they come from have changed.
   *
   * @default true
   */
  readonly shellSnapshot?: boolean;
  /**
   * How many shells are kept ready for the next commands: a call that finds one is spared the start of bash. 0 keeps none.
   * They cost about two megabytes each while they wait, end with this program however it ends, and go after ten
   * minutes without a call.
   *
   * @default 2
   */
  readonly readyShells?: number;
}
