import type { Artifact, ArtifactText } from '../../../index.ts';
import { type Range, usageError } from '../args/flag.ts';
import { complain, print, writeAll } from '../print.ts';

export interface ShowFlags {
  readonly lines?: Range;
  readonly bytes?: Range;
  readonly head?: number;
  readonly tail?: number;
  readonly json?: boolean;
}

/** Prints an output as it was, or some lines of it as text. */
export async function show(artifact: Artifact, flags: ShowFlags): Promise<number> {
  const { lines, bytes, head, tail } = flags;
  if ([lines, bytes, head, tail].filter((part) => part !== undefined).length > 1) {
    throw usageError('--lines, --bytes, --head and --tail are four ways to say the same: give one.');
  }
  if (lines ?? head ?? tail) return showText(artifact, flags);
  if (flags.json) throw usageError('--json needs --lines, --head or --tail.');
  return showRaw(artifact, bytes ?? { from: 1, to: artifact.totalBytes });
}

/** Piece by piece, so that any size passes. */
async function showRaw(artifact: Artifact, { from, to }: Range): Promise<number> {
  for (const gap of artifact.gaps) complain(`Bytes ${gap.from + 1} to ${gap.to} were not kept.`);
  const end = Math.min(to, artifact.totalBytes);
  for (let at = from - 1; at < end; ) {
    const piece = await artifact.bytes({ from: at, to: end });
    if (piece.bytes.length === 0) break;
    writeAll(1, piece.bytes);
    at = piece.to;
  }
  return 0;
}

async function showText(artifact: Artifact, { lines, head, tail, json }: ShowFlags): Promise<number> {
  const range = lines ?? { from: 1, to: head ?? 0 };
  const excerpt = tail === undefined ? await artifact.lines(range) : await artifact.tail(tail);
  return printExcerpt(excerpt, json);
}

export interface SearchFlags {
  readonly regex?: boolean;
  readonly context?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

/** Ends as grep does: 1 when there is nothing. */
export async function search(artifact: Artifact, text: string, flags: SearchFlags): Promise<number> {
  const { regex, context = 0, limit = 100, json } = flags;
  const matches = await artifact.search({ pattern: regex ? toPattern(text) : text, context, limit });
  printExcerpt(matches, json);
  return matches.found.length > 0 ? 0 : 1;
}

function toPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw usageError(error instanceof Error ? `${error.message}.` : String(error));
  }
}

function printExcerpt(excerpt: ArtifactText, json: boolean | undefined): number {
  if (json) {
    print(`${JSON.stringify(excerpt)}\n`);
    return 0;
  }
  print(excerpt.text);
  for (const note of excerpt.notes) complain(note);
  return 0;
}
