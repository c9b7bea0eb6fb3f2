export interface Probe {
  readonly name: string;
  readonly control: 'any' | 'root' | 'none';
  /** Why it is not tried without a sandbox. */
  readonly why?: string;
  readonly text: string;
}

export const PROBES: readonly Probe[];
