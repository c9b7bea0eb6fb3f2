/** Says whether a command may run. Both refuse by throwing `blocked_by_policy`. */
export interface Judge {
  /** Sends a command to a better tool: the text as it came, and without its leading `cd`. */
  intercept(texts: readonly string[]): Promise<void>;
  /** The very text that bash will get, and where. */
  check(text: string, cwd: string): Promise<void>;
}
