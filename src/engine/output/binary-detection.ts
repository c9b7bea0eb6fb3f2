import { isUtf8 } from 'node:buffer';
import { toHumanSize } from '../text/format-size.ts';
import { incompleteUtf8Bytes } from '../text/utf8.ts';

/** Enough to know: a text has no such share of control bytes anywhere, a binary shows it at once. */
const SAMPLE_BYTES = 8192;
/** Control bytes in text that decodes: lists separated by NULs stay below. */
const MAX_SHARE_VALID = 0.3;
/** Control bytes in text that does not decode: random bytes have a tenth, text in an old encoding has none. */
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

/** Both ends of an output; `tail` may be empty. */
export interface OutputSample {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** Whether showing it as text would show nothing. Invalid UTF-8 alone is no reason: old encodings are text. */
export function isBinary({ head, tail }: OutputSample): boolean {
  const end = tail.subarray(-SAMPLE_BYTES);
  return (
    looksBinary(head.subarray(0, SAMPLE_BYTES)) || looksBinary(end.subarray(countContinuationBytes(end)))
  );
}

function looksBinary(bytes: Buffer): boolean {
  if (bytes.length === 0) return false;
  const control = countControl(bytes) / bytes.length;
  if (control <= MAX_SHARE_INVALID) return false;
  return control > MAX_SHARE_VALID || !isUtf8(bytes.subarray(0, bytes.length - incompleteUtf8Bytes(bytes)));
}

/** Bytes that no text has: of the control characters those without a use in terminals or files. */
function countControl(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte < 0x20 && !isTextControl(byte)) count += 1;
  return count;
}

/** BEL to CR, and ESC. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
}

/** How many bytes at the start belong to a character that began before it. */
function countContinuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

export interface BinaryOutput {
  readonly head: Buffer;
  readonly totalBytes: number;
  /** `artifact://…`, or `null` when it was not kept. */
  readonly artifact: string | null;
}

/** What is shown in the place of binary output. */
export function describeBinary({ head, totalBytes, artifact }: BinaryOutput): string {
  const first = head.subarray(0, SHOWN_MAGIC_BYTES).toString('hex').replace(/..\B/g, '$& ');
  const name = MAGIC_NUMBERS.find(([hex, , at = 0]) =>
    head.toString('hex', at, at + 16).startsWith(hex),
  )?.[1];
  const kind = name === undefined ? '' : ` (${name})`;
  const where = artifact === null ? 'it was not kept' : `read it with ${artifact}`;
  return `[binary output: ${toHumanSize(totalBytes)}, begins ${first}${kind}; ${where}]`;
}
