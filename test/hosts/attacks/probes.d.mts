export interface Probe {
  readonly name: string;
  readonly control: 'any' | 'root' | 'none';
  /** Why it is not tried without a sandbox. */
  readonly why?: string;
  /** Whether it runs in a sandbox with a memory limit of $MEMORY bytes. */
  readonly isLimited?: boolean;
  readonly text: string;
}

export const PROBES: readonly Probe[];
