import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type HostName, isSkipped, type Open, useHost } from '../hosts/bench.ts';
import { openDocker, openPodman } from './containers.ts';
import { openSlurm, useCluster } from './slurm.ts';

const GIGABYTE = 1_000_000_000;
const PATTERN = 'yes 0123456789abcdef | head -c 1000000000';

const theCluster = useCluster();

const HOSTS: readonly (readonly [HostName, Open | undefined])[] = [
  ['local', undefined],
  ['sandbox', undefined],
  ['ssh', undefined],
  ['docker', openDocker],
  ['podman', openPodman],
  ['slurm', openSlurm(theCluster)],
];

describe.each(HOSTS)('%s', (name, open) => {
  describe.skipIf(isSkipped(name))('a gigabyte', () => {
    const { host, request } = useHost(name, {}, open);

    test('arrives whole, and memory does not grow with it', async () => {
      const hash = createHash('sha256');
      let bytes = 0;
      let most = 0;
      const before = process.memoryUsage().rss;
      const run = await host().start({
        ...request(PATTERN, { keep: { maxBytes: 2 ** 31, onFull: 'drop_middle', minFreeBytes: 0 } }),
        onBytes: (_, chunk) => {
          bytes += chunk.length;
          hash.update(chunk);
          most = Math.max(most, process.memoryUsage.rss());
        },
      });
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
      expect(bytes).toBe(GIGABYTE);
      expect(hash.digest('hex')).toBe(expectedHash());
      expect(most - before).toBeLessThan(200 * 2 ** 20);
    });
  });
});

function expectedHash(): string {
  const line = Buffer.from('0123456789abcdef\n'.repeat(1000));
  const expected = createHash('sha256');
  for (let left = GIGABYTE; left > 0; left -= line.length)
    expected.update(line.subarray(0, Math.min(left, line.length)));
  return expected.digest('hex');
}
