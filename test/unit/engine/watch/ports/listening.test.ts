import { endianness } from 'node:os';
import { expect, test } from 'vitest';
import { findListeningPorts, parseSocketAddress } from '../../../../../src/engine/watch/ports.ts';

test.skipIf(endianness() !== 'LE').each([
  ['0100007F:1F90', '127.0.0.1', 8080],
  ['00000000:0016', '0.0.0.0', 22],
  ['00000000000000000000000000000000:FFFF', '::', 65_535],
  ['00000000000000000000000001000000:0BB8', '::1', 3000],
  ['0000000000000000FFFF00000100007F:0050', '::ffff:7f00:1', 80],
  ['B80D0120000000000000000001000000:01BB', '2001:db8::1', 443],
])('%s is %s port %d', (text, address, port) => {
  expect(parseSocketAddress(text)).toEqual({ address, port });
});

test('processes that do not listen, and processes that are gone, hold no port', () => {
  expect(findListeningPorts([process.pid], new Map())).toEqual([]);
  expect(findListeningPorts([90_000_001])).toEqual([]);
  expect(findListeningPorts([])).toEqual([]);
});
