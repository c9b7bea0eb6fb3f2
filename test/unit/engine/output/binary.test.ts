import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeBinary, isBinary } from '../../../../src/engine/output/binary-detection.ts';

const NOTHING = Buffer.alloc(0);
const binary = (head: Buffer | string): boolean => isBinary({ head: Buffer.from(head), tail: NOTHING });

describe('binary output', () => {
  test('is recognised', () => {
    expect(binary(readFileSync(process.execPath).subarray(0, 9000))).toBe(true);
    expect(binary(gzipSync('hello hello hello'))).toBe(true);
    expect(binary(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).toBe(true);
    expect(binary(Buffer.alloc(100))).toBe(true);
    expect(binary(Buffer.from('hello world', 'utf16le'))).toBe(true);
  });

  test('is recognised when it comes after text', () => {
    expect(isBinary({ head: Buffer.from('HTTP/1.1 200 OK\n'), tail: gzipSync(Buffer.alloc(100)) })).toBe(
      true,
    );
  });

  test('random bytes are always recognised', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4096, maxLength: 8192 }), (bytes) => {
        fc.pre(new Set(bytes).size > 200);
        expect(binary(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  test.each([
    ['nothing', ''],
    ['text', 'hello\n'],
    ['text in another script', 'Ünïcödé — 日本語 🙂\n'.repeat(600)],
    ['text in an old encoding', Buffer.from('caf\xe9 na\xefve \xfcber\n', 'latin1')],
    ['colours and progress', '\x1b[31mred\x1b[0m\r\x1b[K10%\b\x07\n'],
    ['names separated by NULs', './src/a.ts\0./src/b.ts\0./x\0'],
    ['a command line', 'node\0--test\0-x\0'],
    ['a stray NUL in a log', `${'log line\n'.repeat(100)}\0${Buffer.from([0xff])}`],
  ])('%s is not', (_, text) => {
    expect(binary(text)).toBe(false);
  });

  test('a sample that begins and ends inside a character is still text', () => {
    const bytes = Buffer.from('日本語'.repeat(5000));
    expect(isBinary({ head: bytes.subarray(0, 8000), tail: bytes.subarray(1) })).toBe(false);
  });

  test('is described by size, first bytes and kind, with the one artifact', () => {
    const head = Buffer.from('7f454c4602010100', 'hex');
    expect(describeBinary({ head, totalBytes: 1_258_291, artifact: 'artifact://r1' })).toBe(
      '[binary output: 1.2 MB, begins 7f 45 4c 46 02 01 01 00 (ELF); read it with artifact://r1]',
    );
    expect(describeBinary({ head: Buffer.from([0, 1]), totalBytes: 2, artifact: null })).toBe(
      '[binary output: 2 bytes, begins 00 01; it was not kept]',
    );
    const tar = Buffer.concat([Buffer.alloc(257), Buffer.from('ustar')]);
    expect(describeBinary({ head: tar, totalBytes: 262, artifact: null })).toContain('(tar)');
  });
});
