import { describeBinary, isBinary } from '../binary-detection.ts';
import type { LineRange } from '../output-view.ts';
import { NO_SECRET_MASK, type SecretMask } from '../secret-mask.ts';
import type { Excerpt, ExcerptLimits, RawExcerpt } from './byte-excerpt.ts';
import { readByteRange, readByteText } from './byte-excerpt.ts';
import { findGaps } from './line-counting.ts';
import { readLastLines, readLineRange } from './line-excerpt.ts';
import { type SearchOptions, type SearchResult, searchLines } from './line-search.ts';
import type { ByteRange, RawOutput } from './raw-output.ts';
import { readSample } from './raw-output.ts';

/** Options of `Artifact`. */
export interface ArtifactOptions {
  readonly source: RawOutput;
  /** `artifact://<id>`. */
  readonly name: string;
  readonly mask?: SecretMask;
  /** Limit for one read. @default 50 KiB */
  readonly maxBytes?: number;
}

/** Text read from an artifact. */
export interface ArtifactText extends Excerpt {
  /** `true`: `text` only describes the content. */
  readonly binary: boolean;
}

/** Lines of an artifact that match a search. */
export interface ArtifactMatches extends SearchResult {
  readonly binary: boolean;
}

const MAX_EXCERPT_BYTES = 50 * 1024;

/** The raw output of a run, read in parts. It is never loaded whole and may still be growing. */
export class Artifact {
  readonly #source: RawOutput;
  readonly #name: string;
  readonly #mask: SecretMask;
  readonly #maxBytes: number;

  constructor({ source, name, mask = NO_SECRET_MASK, maxBytes = MAX_EXCERPT_BYTES }: ArtifactOptions) {
    this.#source = source;
    this.#name = name;
    this.#mask = mask;
    this.#maxBytes = maxBytes;
  }

  get totalBytes(): number {
    return this.#source.totalBytes;
  }

  /** Byte ranges that were printed and are not stored. */
  get gaps(): readonly ByteRange[] {
    return findGaps(this.#source);
  }

  /** Lines counted from 1, both ends included. */
  lines(range: LineRange): Promise<ArtifactText> {
    return this.#readText((limits) => readLineRange(this.#source, range, limits));
  }

  head(lines: number): Promise<ArtifactText> {
    return this.lines({ from: 1, to: lines });
  }

  tail(lines: number): Promise<ArtifactText> {
    return this.#readText((limits) => readLastLines(this.#source, lines, limits));
  }

  /** The text of a byte range. */
  text(extent: ByteRange): Promise<ArtifactText> {
    return this.#readText((limits) => readByteText(this.#source, extent, limits));
  }

  /** Raw bytes, also of binary output. */
  bytes(extent: ByteRange): Promise<RawExcerpt> {
    return readByteRange(this.#source, extent);
  }

  async search(options: SearchOptions): Promise<ArtifactMatches> {
    const binary = await this.#describeBinary();
    if (binary !== null) return { ...binary, found: [], complete: true };
    const result = await searchLines(this.#source, options, this.#limits());
    return { ...result, binary: false };
  }

  async #readText(read: (limits: ExcerptLimits) => Promise<Excerpt>): Promise<ArtifactText> {
    return (await this.#describeBinary()) ?? { ...(await read(this.#limits())), binary: false };
  }

  #limits(): ExcerptLimits {
    return { maxBytes: this.#maxBytes, mask: this.#mask };
  }

  async #describeBinary(): Promise<ArtifactText | null> {
    const sample = await readSample(this.#source);
    if (!isBinary(sample)) return null;
    const text = describeBinary({ head: sample.head, totalBytes: this.totalBytes, artifact: this.#name });
    return { text, lines: [], notes: ['Binary output can be read only as a range of bytes.'], binary: true };
  }
}
