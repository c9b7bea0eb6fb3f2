import type { MaskedLine } from './shown-line.ts';

/** A line on its way to being shown or not. */
export interface Entry {
  readonly number: number;
  readonly line: MaskedLine;
  readonly rawBytes: number;
  readonly ended: boolean;
  /** Which lines of the raw output it stands for, where these are more than the one, or none. */
  readonly covers?: Covered | undefined;
  /** No line of the output, but the count of lines that were left out here. */
  readonly marker?: true | undefined;
}

/** An entry and the room it takes when it is cut to the narrow width, newline included. */
export interface SizedEntry extends Entry {
  readonly bytes: number;
}

/** Lines of the raw output: so many, up to the last one. */
export interface Covered {
  readonly last: number;
  readonly lines: number;
}
