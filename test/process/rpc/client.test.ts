import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  createRpcClient,
  type RpcClient,
  type RpcClientOptions,
} from '../../../src/surfaces/rpc/client/rpc-client.ts';
import { nacreEnv } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const clients: RpcClient[] = [];
const rules = '[{"action":"ask","prefix":["touch"]}]';

function connect(options: RpcClientOptions = {}): RpcClient & { root: string } {
  const root = temporaryDirectory();
  const env = nacreEnv(root, { NACRE_POLICY_APPROVALS_RULES: rules });
  const client = createRpcClient({ cwd: root, env, ...options });
  clients.push(client);
  return Object.assign(client, { root });
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

test('a call comes back as from the library, and streams on the way', async () => {
  const client = connect();
  let text = '';
  const updates: string[] = [];
  const result = await client.bash(
    { command: 'seq 3; exit 2' },
    { onOutput: (delta) => (text += delta), onUpdate: (output) => updates.push(output) },
  );
  expect(result).toMatchObject({
    exitCode: 2,
    isError: true,
    content: [{ type: 'text' }],
    run: { status: 'exited' },
  });
  expect([text, updates.at(-1)]).toEqual(['1\n2\n3\n', '1\n2\n3\n']);
});

test('a refusal resolves, a request that cannot be carried out rejects', async () => {
  const client = connect();
  expect(await client.bash({ command: '' })).toMatchObject({ error: { id: 'bad_input' } });
  await expect(client.readArtifact({ artifact: 'nobody' })).rejects.toMatchObject({
    id: 'artifact_not_found',
  });
});

test('an abort ends the command', async () => {
  const client = connect();
  const abort = new AbortController();
  const result = await client.bash(
    { command: 'echo ready; exec sleep 1000' },
    { signal: abort.signal, onOutput: () => abort.abort() },
  );
  expect(result).toMatchObject({ cancelled: true, output: 'ready\n', run: { aborted: true } });
});

test.each(['once', 'no'] as const)('a question is answered with %s', async (answer) => {
  const client = connect({ onApproval: ({ command }) => (command === 'touch made' ? answer : 'no') });
  const { isError } = await client.bash({ command: 'touch made' });
  expect([isError, existsSync(join(client.root, 'made'))]).toEqual([answer === 'no', answer === 'once']);
});

test('who cannot answer, or fails to, says no', async () => {
  const deaf = connect();
  const failing = connect({ onApproval: () => Promise.reject(new Error('broken')) });
  for (const client of [deaf, failing])
    expect(await client.bash({ command: 'touch made' })).toMatchObject({
      error: { id: 'blocked_by_policy' },
    });
});

test('the end of a job is told', async () => {
  const told = new Promise<unknown>((resolve) => {
    const client = connect({ onJobEnd: resolve });
    void client.bash({ command: 'exit 5', async: true });
  });
  expect(await told).toMatchObject({ session: 'main', job: { exitCode: 5 } });
});

test('a server that is gone fails what waits for it, and everything after', async () => {
  const client = connect();
  await client.hello();
  const call = client.bash({ command: 'sleep 1000' });
  process.kill(Number(client.pid), 'SIGKILL');
  await expect(call).rejects.toMatchObject({ id: 'gone' });
  await expect(client.hello()).rejects.toMatchObject({ id: 'gone' });
  await expect(connect({ command: ['/nowhere/nacre'] }).hello()).rejects.toMatchObject({ id: 'gone' });
});
