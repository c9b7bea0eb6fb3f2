import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePlace, runPeer, type Serving, serveOverHttp } from './serve.ts';

/** Of the official suite: every scenario that does not ask for tools or prompts of its own. */
const SCENARIOS: readonly (readonly [scenario: string, spec: string])[] = [
  ['server-initialize', '2025-11-25'],
  ['server-session-lifecycle', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['logging-set-level', '2025-11-25'],
  ['tools-list', '2025-11-25'],
  ['resources-list', '2025-11-25'],
  ['resources-subscribe', '2025-11-25'],
  ['resources-unsubscribe', '2025-11-25'],
  ['server-sse-multiple-streams', '2025-11-25'],
  ['dns-rebinding-protection', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['resources-list', '2026-07-28'],
  ['sep-2164-resource-not-found', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
  ['server-sse-multiple-streams', '2026-07-28'],
  ['dns-rebinding-protection', '2026-07-28'],
];

/** These do ask for some; what is left of them holds. */
const PARTLY: readonly (readonly [scenario: string, passed: string])[] = [
  ['server-stateless', '24/28'],
  ['caching', '6/7'],
];

const place = makePlace();
let server: Serving;
beforeAll(async () => {
  server = await serveOverHttp(place);
});
afterAll(async () => {
  await server.close();
  place.remove();
});

async function run(scenario: string, spec: string): Promise<string> {
  const args = ['server', '--url', server.url, '--spec-version', spec, '--scenario', scenario];
  const { stdout, stderr } = await runPeer('conformance', args, place);
  return stdout + stderr;
}

test.each(SCENARIOS)('%s, %s', async (scenario, spec) => {
  expect(await run(scenario, spec)).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
});

test.each(PARTLY)('%s, as far as it is about us', async (scenario, passed) => {
  expect(await run(scenario, '2026-07-28')).toContain(`Passed: ${passed},`);
});
