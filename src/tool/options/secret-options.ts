export interface SecretOptions {
  /**
   * Whether variables that look like secrets are kept from commands.
   *
   * @default true; false in `simple`
   */
  readonly withhold?: boolean;
  /**
   * Names that are no secrets, whatever they look like.
   *
   * @default []
   */
  readonly allow?: readonly string[];
  /**
   * Names that are secrets, whatever they look like.
   *
   * @default []
   */
  readonly deny?: readonly string[];
  /**
   * Secrets that commands get all the same; their values stay masked.
   *
   * @default []
   */
  readonly grants?: readonly string[];
  /**
   * Further values that are masked in views and in the log.
   *
   * @default []
   */
  readonly mask?: readonly string[];
}
