export interface StorageOptions {
  /**
   * Raw output kept of one run, in bytes. 0 keeps nothing.
   *
   * @default 1 GiB
   */
  readonly maxRunBytes?: number;
  /**
   * Beyond it the middle is dropped and the run goes on, or the run is ended.
   *
   * @default 'drop_middle'
   */
  readonly onFull?: 'drop_middle' | 'stop';
  /**
   * Raw output of all ended runs together, in bytes; the oldest go first.
   *
   * @default 8 GiB
   */
  readonly maxTotalBytes?: number;
  /**
   * How long an ended run is kept, in milliseconds.
   *
   * @default 7 days
   */
  readonly maxAgeMs?: number;
  /**
   * Below this many free bytes on the disk no run starts, and a running one keeps only its tail.
   *
   * @default 64 MiB
   */
  readonly minFreeBytes?: number;
}
