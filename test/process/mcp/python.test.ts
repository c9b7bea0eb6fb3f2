import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nacreEnv } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const HELPERS = join(import.meta.dirname, '../../helpers');

test('a client that was written by hand, in Python, gets along', () => {
  const root = temporaryDirectory();
  const server = [process.execPath, join(HELPERS, '../../bin/nacre.cjs'), 'mcp'];
  const script = [join(HELPERS, 'mcp_client.py'), ...server];
  const printed = execFileSync('python3', script, {
    cwd: root,
    env: nacreEnv(root),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 50_000,
  });
  expect(JSON.parse(printed)).toEqual({
    version: '2025-06-18',
    server: 'nacre',
    tools: ['bash', 'job'],
    failed: [true, 'out\n\nCommand exited with code 3', 3],
    progress: expect.arrayContaining(['working\n']),
    after_rubbish: 'still here\n',
    unknown_method: -32601,
    no_params: -32602,
    cancelled: true,
    order: [10, 9],
    rest: '',
    exit: 0,
  });
});
