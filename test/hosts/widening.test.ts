import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Bash, createBash, type OpenQuestion } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped } from './bench.ts';

describe.skipIf(isSkipped('sandbox'))('a call that asks for more than its sandbox gives', () => {
  const open: Bash[] = [];
  const asked: OpenQuestion[] = [];
  afterAll(() => Promise.all(open.map((bash) => bash.close())));

  const inside = (answer: 'once' | 'no' | null, host = 'sandbox/read-only') => {
    const cwd = temporaryDirectory();
    const bash = createBash({
      ...{ cwd, host, stateDirectory: temporaryDirectory() },
      ...(answer === null
        ? { policy: { approvals: { waitMs: 0 } } }
        : {
            approve: (question) => {
              asked.push(question);
              return answer;
            },
          }),
    });
    open.push(bash);
    return { bash, cwd };
  };
  const wider = (preset: string, reason = 'to keep the report') => ({ sandbox: { preset, reason } });

  test('has it for this one command when a person says so, who is told what it is for', async () => {
    const { bash, cwd } = inside('once');
    const { run } = await bash.call({ command: 'echo kept >report', ...wider('workspace') });
    expect([run.status, run.exitCode]).toEqual(['exited', 0]);
    expect(existsSync(join(cwd, 'report'))).toBe(true);
    expect(asked.at(-1)).toMatchObject({ command: 'echo kept >report', cwd, always: [] });
    expect(asked.at(-1)?.reason).toBe(
      'This command asks for more than its sandbox gives (workspace): to keep the report',
    );
    const next = await bash.call({ command: 'echo x >other' });
    expect(next.run.exitCode).toBe(1);
    expect(existsSync(join(cwd, 'other'))).toBe(false);
  });

  test('reaches the network when that was approved, and only then', async () => {
    const server = createServer((socket) => socket.end('hello\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { bash } = inside('once', 'sandbox');
    const command = `cat </dev/tcp/127.0.0.1/${port}`;
    const { run } = await bash.call({ command, ...wider('workspace+network') });
    expect(run.output.text).toBe('hello\n');
    expect((await bash.call({ command })).run.exitCode).toBe(1);
    server.close();
  });

  test.each([
    ['no', 'It was not approved'],
    [null, 'No approver is available'],
  ] as const)('does not run without a yes (%s)', async (answer, words) => {
    const { bash, cwd } = inside(answer);
    const { run, error } = await bash.call({ command: 'echo x >never', ...wider('workspace') });
    expect([run.status, error?.id]).toEqual(['refused', 'blocked_by_policy']);
    expect(error?.message).toContain(words);
    expect(existsSync(join(cwd, 'never'))).toBe(false);
  });

  test('must say why, and for what', async () => {
    const { bash } = inside('once');
    const without = await bash.call({ command: 'true', ...wider('workspace', '  ') });
    expect([without.error?.id, without.error?.message]).toEqual([
      'bad_input',
      expect.stringContaining('sandbox.reason'),
    ]);
    const unknown = await bash.call({ command: 'true', ...wider('everything') });
    expect(unknown.error?.id).toBe('bad_input');
  });

  test('is offered only where there is a sandbox', async () => {
    const bash = createBash({ stateDirectory: temporaryDirectory() });
    open.push(bash);
    expect(Object.keys(bash.tool.inputSchema.properties)).not.toContain('sandbox');
    expect(Object.keys(inside('once').bash.tool.inputSchema.properties)).toContain('sandbox');
    const { error } = await bash.call({ command: 'true', ...wider('workspace') });
    expect(error?.id).toBe('bad_input');
  });
});
