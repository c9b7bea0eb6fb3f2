import { isUtf8 } from 'node:buffer';
import { toHumanSize } from '../text/format-size.ts';
import { incompleteUtf8Bytes, leadingContinuationBytes } from '../text/utf8.ts';

/** Bytes examined at each end: a binary file shows its control bytes at once. */
export const SAMPLE_BYTES = 8192;
/** Limit on the share of control bytes in valid UTF-8. Lists separated by NULs stay below it. */
const MAX_SHARE_VALID = 0.3;
/** Limit in invalid UTF-8: random bytes have a tenth, text in an old encoding has none. */
const MAX_SHARE_INVALID = 0.03;
const SHOWN_MAGIC_BYTES = 8;

const MAGIC_NUMBERS: readonly (readonly [hex: string, name: string, at?: number])[] = [
  ['7f454c46', 'ELF'],
  ['89504e470d0a1a0a', 'PNG'],
  ['ffd8ff', 'JPEG'],
  ['474946383', 'GIF'],
  ['25504446', 'PDF'],
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['fd377a585a00', 'xz'],
  ['425a68', 'bzip2'],
  ['504b0304', 'zip'],
  ['377abcaf271c', '7z'],
  ['cafebabe', 'Java class or Mach-O'],
  ['cffaedfe', 'Mach-O'],
  ['0061736d', 'WebAssembly'],
  ['53514c69746520666f726d6174203300', 'SQLite'],
  ['52494646', 'RIFF'],
  ['4f676753', 'Ogg'],
  ['494433', 'MP3'],
  ['66747970', 'MP4', 4],
  ['7573746172', 'tar', 257],
  ['fffe', 'UTF-16 text'],
  ['feff', 'UTF-16 text'],
];

/** The first and last bytes of an output; `tail` may be empty. */
export interface OutputSample {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** Whether an output is binary. Invalid UTF-8 alone is not enough: text in an old encoding is text. */
export function isBinary({ head, tail }: OutputSample): boolean {
  const end = tail.subarray(-SAMPLE_BYTES);
  return (
    looksBinary(head.subarray(0, SAMPLE_BYTES)) || looksBinary(end.subarray(leadingContinuationBytes(end)))
  );
}

function looksBinary(bytes: Buffer): boolean {
  if (bytes.length === 0) return false;
  const control = countControl(bytes) / bytes.length;
  if (control <= MAX_SHARE_INVALID) return false;
  return control > MAX_SHARE_VALID || !isUtf8(bytes.subarray(0, bytes.length - incompleteUtf8Bytes(bytes)));
}

/** Control characters that neither terminals nor text files use. */
function countControl(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte < 0x20 && !isTextControl(byte)) count += 1;
  return count;
}

/** BEL to CR, and ESC. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
}

interface BinaryOutput {
  readonly head: Buffer;
  readonly totalBytes: number;
  /** `artifact://…`, or `null` when the output was not kept. */
  readonly artifact: string | null;
}

/** The text that replaces binary output. */
export function describeBinary({ head, totalBytes, artifact }: BinaryOutput): string {
  const first = head.subarray(0, SHOWN_MAGIC_BYTES).toString('hex').replace(/..\B/g, '$& ');
  const name = MAGIC_NUMBERS.find(([hex, , at = 0]) =>
    head.toString('hex', at, at + 16).startsWith(hex),
  )?.[1];
  const kind = name === undefined ? '' : ` (${name})`;
  const where = artifact === null ? 'it was not kept' : `read it with ${artifact}`;
  return `[binary output: ${toHumanSize(totalBytes)}, begins ${first}${kind}; ${where}]`;
}
