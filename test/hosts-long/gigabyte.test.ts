import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type HostName, isSkipped, useHost } from '../hosts/bench.ts';

const GIGABYTE = 1_000_000_000;
const PATTERN = 'yes 0123456789abcdef | head -c 1000000000';

describe.each<HostName>(['local', 'sandbox', 'ssh'])('%s', (name) => {
  describe.skipIf(isSkipped(name))('a gigabyte', () => {
    const { host, request } = useHost(name);

    test('arrives whole, and memory does not grow with it', async () => {
      const hash = createHash('sha256');
      let bytes = 0;
      const run = await host().start({
        ...request(PATTERN, { keep: { maxBytes: 2 ** 26, onFull: 'drop_middle', minFreeBytes: 0 } }),
        onBytes: (_, chunk) => {
          bytes += chunk.length;
          hash.update(chunk);
        },
      });
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
      if (name === 'ssh') return expect(bytes).toBeGreaterThan(2 ** 26 / 2);
      expect(bytes).toBe(GIGABYTE);
      const line = Buffer.from('0123456789abcdef\n'.repeat(1000));
      const expected = createHash('sha256');
      for (let left = GIGABYTE; left > 0; left -= line.length)
        expected.update(line.subarray(0, Math.min(left, line.length)));
      expect(hash.digest('hex')).toBe(expected.digest('hex'));
    });
  });
});
