import type { MachineOutput } from '../result.ts';

/** What is shown of an output. */
export interface Shown {
  readonly output: MachineOutput;
  /** How it was cut; `null` when it is whole. */
  readonly truncation: Readonly<Record<string, unknown>> | null;
  /** Of a run whose streams are kept apart. */
  readonly apart: { readonly stdout: string; readonly stderr: string } | null;
}
