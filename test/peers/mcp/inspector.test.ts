import { afterAll, expect, test } from 'vitest';
import { BIN, makePlace, runPeer } from './serve.ts';

const place = makePlace();
afterAll(() => place.remove());

const inspect = (...args: readonly string[]) =>
  runPeer('mcp-inspector', ['--cli', '--format', 'json', ...args, process.execPath, BIN, 'mcp'], place);

test('the Inspector finds nothing to complain of in our schemas', async () => {
  const { status, stdout, stderr } = await inspect('--method', 'tools/list', '--strict');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('"name":"bash"');
});

test.each(['legacy', 'modern'])('the Inspector calls the tool, protocol era %s', async (era) => {
  const call = ['--method', 'tools/call', '--tool-name', 'bash', '--tool-args-json'];
  const well = await inspect('--protocol-era', era, ...call, '{"command":"echo hi"}');
  expect(well.status).toBe(0);
  expect(JSON.parse(well.stdout).result).toMatchObject({
    content: [{ type: 'text', text: 'hi\n' }],
    structuredContent: { exitCode: 0, output: { text: 'hi\n' } },
  });
  // 5: the tool said that it failed.
  expect((await inspect('--protocol-era', era, ...call, '{"command":"exit 3"}')).status).toBe(5);
});

test('the Inspector lists what can be read', async () => {
  const { status, stdout } = await inspect('--method', 'resources/templates/list');
  expect(status).toBe(0);
  expect(stdout).toContain('artifact://{id}');
});
