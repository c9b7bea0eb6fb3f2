import { expect, test } from 'vitest';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';
import { isSkipped } from '../../hosts/bench.ts';

test.each([
  ['run', '--host', 'nowhere', 'true'],
  ['mcp', '--host', 'nowhere'],
  ['rpc', '--host', 'nowhere'],
])('a host that is none is said at once: nacre %s', async (...args) => {
  const { status, stderr } = await runNacre(args, { env: nacreEnv(temporaryDirectory()) });
  expect(status).toBe(2);
  expect(stderr).toContain("Unknown host 'nowhere'. Available hosts: local, sandbox,");
});

test.skipIf(isSkipped('sandbox'))('a server runs its commands where it was told to', async () => {
  const { stdout } = await runNacre(['rpc', '--host', 'sandbox', '--cwd', temporaryDirectory()], {
    env: nacreEnv(temporaryDirectory()),
    input: `${JSON.stringify({ type: 'bash', command: 'touch /tmp/inside; ls /tmp/inside; touch /usr/x' })}\n`,
  });
  const { data } = JSON.parse(stdout);
  expect(data.output).toContain('/tmp/inside\n');
  expect(data.output).toContain('Read-only file system');
});
