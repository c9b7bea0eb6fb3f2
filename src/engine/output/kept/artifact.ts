import { describeBinary, isBinary } from '../binary.ts';
import { type Mask, NO_MASK } from '../mask.ts';
import type { LineRange } from '../view/view.ts';
import { readBytes, readByteText } from './byte-range.ts';
import { gapsOf } from './line-places.ts';
import { readLastLines, readLineRange } from './line-range.ts';
import type { Excerpt, RawExcerpt, ReadLimits } from './reading.ts';
import { sampleOf } from './sample.ts';
import { type SearchOptions, type SearchResult, searchLines } from './search.ts';
import type { Extent, RawSource } from './source.ts';

export interface ArtifactOptions {
  readonly source: RawSource;
  /** How it is called: `artifact://<id>`. */
  readonly name: string;
  readonly mask?: Mask;
  /** What one reading gives at most. @default 50 KiB */
  readonly maxBytes?: number;
}

/** Text from an artifact. */
export interface ArtifactText extends Excerpt {
  /** `true`: `text` describes what is there and shows none of it. */
  readonly binary: boolean;
}

/** Lines of an artifact that match. */
export interface ArtifactMatches extends SearchResult {
  readonly binary: boolean;
}

const MAX_BYTES = 50 * 1024;

/** The kept output of a run, read in parts: it is never loaded whole, and may still be growing. */
export class Artifact {
  readonly #source: RawSource;
  readonly #name: string;
  readonly #mask: Mask;
  readonly #maxBytes: number;

  constructor({ source, name, mask = NO_MASK, maxBytes = MAX_BYTES }: ArtifactOptions) {
    this.#source = source;
    this.#name = name;
    this.#mask = mask;
    this.#maxBytes = maxBytes;
  }

  get totalBytes(): number {
    return this.#source.totalBytes;
  }

  /** What was printed and is not there. */
  get gaps(): readonly Extent[] {
    return gapsOf(this.#source);
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
  text(extent: Extent): Promise<ArtifactText> {
    return this.#readText((limits) => readByteText(this.#source, extent, limits));
  }

  /** Raw bytes, also of binary output. */
  bytes(extent: Extent): Promise<RawExcerpt> {
    return readBytes(this.#source, extent);
  }

  async search(options: SearchOptions): Promise<ArtifactMatches> {
    const binary = await this.#describeBinary();
    if (binary !== null) return { ...binary, found: [], complete: true };
    const result = await searchLines(this.#source, options, this.#limits());
    return { ...result, binary: false };
  }

  async #readText(read: (limits: ReadLimits) => Promise<Excerpt>): Promise<ArtifactText> {
    return (await this.#describeBinary()) ?? { ...(await read(this.#limits())), binary: false };
  }

  #limits(): ReadLimits {
    return { maxBytes: this.#maxBytes, mask: this.#mask };
  }

  async #describeBinary(): Promise<ArtifactText | null> {
    const sample = await sampleOf(this.#source);
    if (!isBinary(sample)) return null;
    const text = describeBinary({ head: sample.head, totalBytes: this.totalBytes, artifact: this.#name });
    return { text, lines: [], notes: ['Only a range of bytes can be read of it.'], binary: true };
  }
}
