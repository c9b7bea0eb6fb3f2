/** What a new shell knows of the one before it, and of the user's own. */
export interface ShellOptions {
  /**
   * Whether what a command changes in its shell is there in the next call of the session: directory, variables,
   * functions, aliases, umask and options.
   *
   * @default true; false in `modes` and `simple`
   */
  readonly shellState?: boolean;
}
