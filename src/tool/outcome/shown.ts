import type { RawSource } from '../../engine/output/kept/source.ts';
import type { Mask } from '../../engine/output/mask.ts';
import type { Condenser } from '../../engine/output/minimise/condenser.ts';
import type { Truncation, View } from '../../engine/output/view/view.ts';
import type { MachineOutput } from '../result.ts';

/** The whole output of a run, for a profile to show what it will of it. */
export interface Printed {
  /** Both streams, unless they are shown apart. */
  readonly out: RawSource;
  readonly err: RawSource;
  /** `artifact://<id>`, or `null` when the full output was not kept. */
  readonly artifact: string | null;
  readonly mask: Mask;
  readonly headLines: number | null;
  readonly tailLines: number | null;
  /** Asked when the output does not fit: what makes it shorter. */
  readonly condenser: () => Promise<Condenser | null>;
}

/** What is shown of an output. */
export interface Shown {
  readonly output: MachineOutput;
  /** How it was cut; `null` when it is whole. */
  readonly truncation: Truncation | null;
  /** Of a run whose streams are shown apart. */
  readonly apart: { readonly stdout: string; readonly stderr: string } | null;
}

/** The parts of a view that the machine form has. */
export function toOutput({ text, totalBytes, totalLines, shown, omitted }: View): MachineOutput {
  return { text, totalBytes, totalLines, shown, omitted };
}
