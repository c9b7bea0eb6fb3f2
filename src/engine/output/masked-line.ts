import { toCount } from '../text/format-size.ts';
import type { BufferedLine } from '../text/terminal-line.ts';
import {
  codePointBoundaryAfter,
  codePointBoundaryBefore,
  countCharacters,
  utf8Prefix,
  utf8Suffix,
} from '../text/utf8.ts';
import type { SecretMask } from './secret-mask.ts';

/** A line with its secrets masked, before it is clipped to a width. */
export interface MaskedLine {
  readonly start: string;
  /** Empty unless a part is missing between `start` and `end`. */
  readonly end: string;
  readonly missing: MissingPart | null;
}

/** The size of the part missing from a line; `null` where it is unknown. */
interface MissingPart {
  readonly characters: number | null;
  readonly bytes: number | null;
}

/** A line as it is shown. */
interface ClippedLine {
  readonly text: string;
  /** Bytes of the text that are not shown; 0 when the line is complete. */
  readonly omittedBytes: number;
}

interface ClipLimits {
  readonly characters: number;
  readonly bytes: number;
}

/** Size of the longest marker. Its dots have more bytes than characters. */
const MARKER_CHARACTERS = 36;
const MARKER_BYTES = 40;

/** The start of a line whose rest is gone. A character split by the loss is dropped. */
export function toLineStart({ text, gap }: BufferedLine, mask: SecretMask): MaskedLine {
  const { rest } = dropEnd(mask.apply(gap === null ? text : text.slice(0, gap.at)), mask.maxSecretLength - 1);
  return { start: rest.replace(/\ufffd$/, ''), end: '', missing: { characters: null, bytes: null } };
}

/** The end of a line whose start is gone. */
export function toLineEnd({ text, gap }: BufferedLine, mask: SecretMask): MaskedLine {
  const { rest } = dropStart(mask.apply(gap === null ? text : text.slice(gap.at)), mask.maxSecretLength - 1);
  return { start: '', end: rest.replace(/^\ufffd{1,3}/, ''), missing: { characters: null, bytes: null } };
}

/** Masks a line before it is clipped, so that no part of a secret remains at the edge. */
export function maskLine({ text, gap }: BufferedLine, mask: SecretMask): MaskedLine {
  if (gap === null) return { start: mask.apply(text), end: '', missing: null };
  const start = dropEnd(mask.apply(text.slice(0, gap.at)), mask.maxSecretLength - 1);
  const end = dropStart(mask.apply(text.slice(gap.at)), mask.maxSecretLength - 1);
  const dropped = start.dropped + end.dropped;
  return {
    start: start.rest,
    end: end.rest,
    missing: {
      characters: gap.characters + countCharacters(dropped),
      bytes: gap.bytes + Buffer.byteLength(dropped),
    },
  };
}

/** Shortens a line to its two ends with a marker between them; the limits include the marker. */
export function clipLine(line: MaskedLine, { characters, bytes }: ClipLimits): ClippedLine {
  const { start, end, missing } = line;
  if (missing === null && start.length <= characters && fitsBytes(start, bytes))
    return { text: start, omittedBytes: 0 };
  const tail = missing === null ? start : end;
  const room = { characters: characters - MARKER_CHARACTERS, bytes: bytes - MARKER_BYTES };
  const first = startWithin(start, scaleLimits(room, 0.75));
  const last = endWithin(tail, scaleLimits(room, 0.25));
  const left = measureOmitted(line, first + last);
  return { text: `${first}[… ${describeOmitted(left)} …]${last}`, omittedBytes: left.bytes };
}

/** UTF-8 bytes of a line clipped to a number of characters, with its newline. */
export function countClippedBytes(line: MaskedLine, characters: number): number {
  if (line.missing === null && line.start.length <= characters) return Buffer.byteLength(line.start) + 1;
  const { text } = clipLine(line, { characters, bytes: Number.POSITIVE_INFINITY });
  return Buffer.byteLength(text) + 1;
}

function fitsBytes(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
}

function scaleLimits({ characters, bytes }: ClipLimits, share: number): ClipLimits {
  return {
    characters: Math.max(0, Math.floor(characters * share)),
    bytes: Math.max(0, Math.floor(bytes * share)),
  };
}

function startWithin(text: string, { characters, bytes }: ClipLimits): string {
  return utf8Prefix(text.slice(0, codePointBoundaryBefore(text, characters)), bytes);
}

function endWithin(text: string, { characters, bytes }: ClipLimits): string {
  return utf8Suffix(text.slice(codePointBoundaryAfter(text, Math.max(0, text.length - characters))), bytes);
}

interface OmittedPart {
  readonly characters: number | null;
  readonly bytes: number;
  readonly unknown: boolean;
}

function measureOmitted({ start, end, missing }: MaskedLine, shown: string): OmittedPart {
  const whole = start + end;
  const { characters, bytes } = missing ?? { characters: 0, bytes: 0 };
  return {
    characters: characters === null ? null : characters + countCharacters(whole) - countCharacters(shown),
    bytes: (bytes ?? 0) + Buffer.byteLength(whole) - Buffer.byteLength(shown),
    unknown: bytes === null,
  };
}

function describeOmitted({ characters, bytes, unknown }: OmittedPart): string {
  if (unknown) return 'part of this line';
  return characters === null ? toCount(bytes, 'byte') : toCount(characters, 'character');
}

function dropEnd(text: string, count: number): { rest: string; dropped: string } {
  const at = count <= 0 ? text.length : codePointBoundaryBefore(text, Math.max(0, text.length - count));
  return { rest: text.slice(0, at), dropped: text.slice(at) };
}

function dropStart(text: string, count: number): { rest: string; dropped: string } {
  const at = count <= 0 ? 0 : codePointBoundaryAfter(text, Math.min(text.length, count));
  return { rest: text.slice(at), dropped: text.slice(0, at) };
}

/** A line of output with its number. */
export interface NumberedLine {
  readonly number: number;
  readonly line: MaskedLine;
  readonly rawBytes: number;
  readonly ended: boolean;
  /** The raw lines it stands for, unless it is exactly one. */
  readonly covers?: CoveredLines | undefined;
  /** Not a line of the output, but the count of lines omitted here. */
  readonly marker?: true | undefined;
}

/** A line with its size after clipping to the narrow width, newline included. */
export interface SizedLine extends NumberedLine {
  readonly bytes: number;
}

/** A number of raw lines that end with line `last`. */
export interface CoveredLines {
  readonly last: number;
  readonly lines: number;
}
