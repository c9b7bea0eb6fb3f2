import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/engine/hosts/host.ts';
import { createKubernetesConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { type Open, toRequest } from '../hosts/bench.ts';
import { proveHost } from '../hosts/conformance.ts';

/** A pod with bash and coreutils that kubectl reaches: `NACRE_TEST_POD=name npm run test:hosts`. */
const POD = process.env.NACRE_TEST_POD;
const FAKE = join(import.meta.dirname, 'fake');

function makeHost(pod: string, { program, state }: { program: string; state: string }): Host {
  const client = createKubernetesConnector({ program, shell: 'bash', env: process.env, pod });
  return createRemoteHost({
    name: 'kubernetes',
    connector: client,
    shell: 'bash',
    stateDirectory: state,
    onExit: 'end',
  });
}

const open =
  (pod: string, program: string): Open =>
  async ({ state, workspace }) => {
    // The environment of a connector is restricted, so the fake gets its settings by its path.
    const words = (more: readonly string[]) => ['exec', '-i', pod, '--', ...more];
    execFileSync(program, words(['mkdir', '-p', workspace]), { stdio: ['ignore', 'ignore', 'inherit'] });
    return { host: makeHost(pod, { program, state }), stop: () => undefined };
  };

describe('by a kubectl that is a script', () => {
  proveHost('kubernetes', open('web', join(FAKE, 'kubectl')));
});

describe.skipIf(POD === undefined)('by the real one (NACRE_TEST_POD names no pod)', () => {
  proveHost('kubernetes', open(POD ?? '', 'kubectl'));
});

test('a pod that is not there is said at once, in the words of kubectl', async () => {
  const host = makeHost('nowhere', { program: join(FAKE, 'kubectl'), state: temporaryDirectory() });
  await expect(host.start(toRequest('true', { cwd: '/' }))).rejects.toMatchObject({
    code: 'host_unreachable',
    message: expect.stringContaining('pods "nowhere" not found'),
  });
  await host.close();
});
