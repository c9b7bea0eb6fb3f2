import { Artifact } from '../../../engine/output/kept/artifact.ts';
import type { StreamPlace } from '../../../engine/output/kept/pieces.ts';
import { sourceOfKept } from '../../../engine/output/kept/source.ts';
import type { Mask } from '../../../engine/output/mask.ts';
import type { LineRange } from '../../result.ts';

export interface EndOptions {
  /** How it is called: `artifact://<id>`. */
  readonly name: string;
  readonly lines: number;
  readonly maxBytes: number;
  readonly mask: Mask;
}

/** The end of an output. */
export interface OutputEnd {
  readonly text: string;
  readonly totalBytes: number;
  /** Empty where it is too long to be counted. */
  readonly lines: readonly LineRange[];
  readonly notes: readonly string[];
}

/** To number lines all of it must be read; beyond this a look at the end would take too long. */
const COUNTED_BYTES = 16 * 1024 * 1024;

/** The last lines of an output of any size, in a time that does not grow with it. */
export async function readEnd(place: StreamPlace, options: EndOptions): Promise<OutputEnd> {
  const { name, lines, maxBytes, mask } = options;
  const source = sourceOfKept(place);
  const { totalBytes } = source;
  const artifact = new Artifact({ source, name, mask, maxBytes });
  if (totalBytes <= COUNTED_BYTES) return { ...(await artifact.tail(lines)), totalBytes };
  const { text, notes } = await artifact.text({ from: totalBytes - maxBytes, to: totalBytes });
  // The first one is most likely cut.
  const whole = text.slice(text.indexOf('\n') + 1);
  const shown = whole.split(/(?<=\n)/).slice(-lines);
  return { text: shown.join(''), totalBytes, lines: [], notes };
}
