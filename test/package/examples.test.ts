import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';

/** Runs an example as a reader would, against the built package, with a state directory of its own. */
function run(name: string): string {
  const path = join(import.meta.dirname, '../../examples', name);
  const env = { ...process.env, XDG_STATE_HOME: temporaryDirectory() };
  return execFileSync(process.execPath, [path], { encoding: 'utf8', env, timeout: 50_000 });
}

test.each([
  ['call.js', 'out\nerr\n\nCommand exited with code 3\ntrue exited 3\n'],
  ['abort.js', 'aborted working\n'],
  ['job.js', 'false running\nsleep 1000 0\n'],
  [
    'openai.js',
    '{"type":"shell","environment":{"type":"local"}}\n{"type":"shell_call_output","call_id":"call_1","max_output_length":null,"output":[{"stdout":"out\\n","stderr":"err\\n","outcome":{"type":"exit","exit_code":0}},{"stdout":"","stderr":"","outcome":{"type":"exit","exit_code":3}}]}\n',
  ],
  ['rpc.js', '1 "one\\ntwo\\n" 3 true\nfailed\n'],
])('examples/%s runs and prints what it promises', (name, output) => {
  expect(run(name)).toBe(output);
});

test('examples/tool-loop.js answers whatever a model sends', () => {
  const lines = run('tool-loop.js').split('\n');
  expect(lines[0]).toBe('bash command mode');
  expect(lines[1]).toMatch(/^false ran \w+$/);
  expect(lines[2]).toContain("true bad_input comand: is not a field of this tool. Did you mean 'command'?");
  expect(lines[3]).toBe('true blocked_by_policy Not on this machine.');
});

test('examples/anthropic.js answers a block', () => {
  const [first, ...rest] = run('anthropic.js').split('\n');
  expect(first).toBe('bash job');
  expect(rest.join('\n')).toMatch(/tool_use_id: 'toolu_1'[\s\S]*hello[\s\S]*code 3[\s\S]*is_error: true/);
});

test('examples/rpc_client.py runs with nothing but Python', () => {
  const examples = join(import.meta.dirname, '../../examples');
  const server = [process.execPath, join(examples, '../bin/nacre.cjs'), 'rpc'];
  const env = { ...process.env, XDG_STATE_HOME: temporaryDirectory() };
  const output = execFileSync('python3', [join(examples, 'rpc_client.py'), ...server], {
    encoding: 'utf8',
    env,
  });
  expect(output).toBe("'one\\ntwo\\n' 3 exited\nbad_input\nfailed\n0\n");
});
