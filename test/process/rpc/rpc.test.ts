import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isAlive } from '../../helpers/is-alive.ts';
import { useLines } from '../../helpers/line-peer.ts';

const start = useLines('rpc');

describe('the requests of older tools', () => {
  test('bash answers with their fields, and the machine form beside them', async () => {
    const rpc = start();
    rpc.send({ id: 'a', type: 'bash', command: 'echo out; exit 3' });
    const { success, command, data } = await rpc.response('a');
    expect([success, command]).toEqual([true, 'bash']);
    expect(data).toMatchObject({
      ...{ output: 'out\n', exitCode: 3, cancelled: false, truncated: false, totalLines: 1, totalBytes: 4 },
      ...{ outputLines: 1, outputBytes: 4, isError: true, run: { status: 'exited', exitCode: 3 } },
    });
    expect(data.run).toHaveProperty('runId', data.artifactId);
  });

  test('output that was cut names the file with all of it', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'seq 100000' });
    const { data } = await rpc.response(1);
    expect(data).toMatchObject({ truncated: true, totalLines: 100_000 });
    expect(Number(data.outputLines)).toBeLessThan(100_000);
    expect(readFileSync(String(data.fullOutputPath), 'utf8').split('\n')).toHaveLength(100_001);
  });

  test('abort_bash ends all calls, or the one that is named', async () => {
    const rpc = start();
    for (const id of ['a', 'b'])
      rpc.send({ id, type: 'bash', command: `echo ready; exec sleep 1000`, stream: true });
    for (const id of ['a', 'b']) await rpc.line((line) => line.id === id && line.delta === 'ready\n');
    rpc.send({ id: 1, type: 'abort_bash', target: 'a' });
    expect((await rpc.response('a')).data).toMatchObject({
      cancelled: true,
      output: 'ready\n',
      run: { aborted: true },
    });
    expect((await rpc.response(1)).data).toEqual({ aborted: 1 });
    expect(rpc.lines.some(({ id, type }) => id === 'b' && type === 'response')).toBe(false);
    rpc.send({ id: 2, type: 'abort_bash' });
    expect((await rpc.response('b')).data).toMatchObject({ cancelled: true });
  });

  test('a time limit is cancelled as well, and can be told apart', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'echo begun; sleep 1000', timeout: 1 });
    const { data } = await rpc.response(1);
    expect(data).toMatchObject({
      cancelled: true,
      output: 'begun\n',
      run: { timedOut: true, aborted: false },
    });
  });
});

describe('everything else', () => {
  test('hello says which protocol, tools what a model is given', async () => {
    const rpc = start({ args: ['--profile', 'modes'] });
    rpc.send({ id: 1, type: 'hello' });
    rpc.send({ id: 2, type: 'tools' });
    expect((await rpc.response(1)).data).toMatchObject({
      name: 'nacre',
      protocol: 1,
      session: { profile: 'modes' },
    });
    expect((await rpc.response(2)).data).toMatchObject({ tools: [{ name: 'bash' }, { name: 'job' }] });
  });

  test('a call that is refused fails, and has its result', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'true', cwd: '/nowhere' });
    expect(await rpc.response(1)).toMatchObject({
      ...{ success: false, errorId: 'cwd_missing', error: 'Working directory does not exist: /nowhere' },
      data: { isError: true, run: { status: 'refused' } },
    });
  });

  test('output streams as it comes, characters whole, streams apart where they are', async () => {
    const rpc = start({ args: ['--profile', 'simple'] });
    rpc.send({
      id: 1,
      type: 'bash',
      command: "printf '\\xe2\\x82'; sleep 0.05; printf '\\xac\\n'; echo no >&2",
      stream: true,
    });
    await rpc.response(1);
    const text = (stream: string): string =>
      rpc.lines
        .filter((line) => line.stream === stream)
        .map(({ delta }) => delta)
        .join('');
    expect([text('out'), text('err')]).toEqual(['€\n', 'no\n']);
  });

  test('jobs are started, waited for and ended, and their end is told', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'echo working; sleep 1000', async: true });
    const { run } = (await rpc.response(1)).data as { run: { job: { id: string } } };
    rpc.send({ id: 2, type: 'job', input: { action: 'wait', job: 'x' } });
    expect(await rpc.response(2)).toMatchObject({ success: false, errorId: 'bad_input' });
    rpc.send({ id: 3, type: 'job', input: { action: 'wait', id: run.job.id, pattern: 'working' } });
    expect((await rpc.response(3)).data).toMatchObject({ details: { why: 'met' } });
    rpc.send({ id: 4, type: 'bash', command: 'exit 4', async: true });
    expect(await rpc.line(({ type }) => type === 'job_ended')).toMatchObject({
      session: 'main',
      job: { state: 'failed', exitCode: 4 },
      text: expect.stringMatching(/^failed \(exit code 4\)/),
    });
    rpc.send({ id: 5, type: 'job', input: { action: 'kill', id: run.job.id, escalate: true } });
    expect((await rpc.response(5)).data).toMatchObject({ details: { jobs: [{ state: 'failed' }] } });
  });

  test('a call yields when it is asked to', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'echo ready; sleep 1000', stream: true });
    await rpc.line(({ delta }) => delta === 'ready\n');
    rpc.send({ id: 2, type: 'yield_bash', target: 1 });
    const { data } = await rpc.response(1);
    const { run } = data as { run: { status: string; job: { pgid: number } } };
    expect(run.status).toBe('running');
    process.kill(-run.job.pgid, 'SIGKILL');
  });

  test('artifacts are listed, read by range and searched', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'seq 1000' });
    const { artifactId: artifact } = (await rpc.response(1)).data;
    rpc.send({ id: 2, type: 'read_artifact', artifact, lines: { from: 10, to: 12 } });
    rpc.send({ id: 3, type: 'read_artifact', artifact, bytes: { from: 0, to: 4 }, raw: true });
    rpc.send({ id: 4, type: 'search_artifact', artifact, pattern: '^99.$', regex: true });
    rpc.send({ id: 5, type: 'list_artifacts' });
    rpc.send({ id: 6, type: 'read_artifact', artifact, head: 2, tail: 2 });
    rpc.send({ id: 7, type: 'read_artifact', artifact: 'nobody' });
    expect((await rpc.response(2)).data).toMatchObject({ text: '10\n11\n12\n', totalBytes: 3893 });
    expect((await rpc.response(3)).data).toMatchObject({ base64: Buffer.from('1\n2\n').toString('base64') });
    expect((await rpc.response(4)).data.found).toHaveLength(10);
    expect((await rpc.response(5)).data).toMatchObject({ artifacts: [{ id: artifact, outBytes: 3893 }] });
    expect(await rpc.response(6)).toMatchObject({ success: false, errorId: 'bad_input' });
    expect(await rpc.response(7)).toMatchObject({ success: false, errorId: 'artifact_not_found' });
  });

  test('sessions have their own directory, jobs and artifacts', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'open_session', name: 'other', cwd: '/' });
    rpc.send({ id: 2, type: 'bash', session: 'other', command: 'pwd' });
    rpc.send({ id: 3, type: 'list_artifacts' });
    rpc.send({ id: 4, type: 'bash', session: 'nobody', command: 'pwd' });
    expect((await rpc.response(2)).data).toMatchObject({ output: '/\n' });
    expect((await rpc.response(3)).data).toEqual({ artifacts: [] });
    expect(await rpc.response(4)).toMatchObject({
      errorId: 'bad_input',
      error: expect.stringContaining('open_session'),
    });
    rpc.send({ id: 5, type: 'close_session', name: 'other' });
    await rpc.response(5);
    rpc.send({ id: 6, type: 'list_sessions' });
    expect((await rpc.response(6)).data).toMatchObject({ sessions: [{ name: 'main' }] });
  });

  test('a session that is reset has a new shell, and no other has', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'open_session', name: 'other', cwd: '/' });
    await rpc.response(1);
    const bash = async (id: number, session: string, command: string): Promise<string> => {
      rpc.send({ id, type: 'bash', session, command });
      return String((await rpc.response(id)).data.output);
    };
    for (const [at, session] of ['main', 'other'].entries()) await bash(10 + at, session, 'cd /usr; kept=1');
    rpc.send({ id: 20, type: 'reset_session', session: 'other' });
    expect(await rpc.response(20)).toMatchObject({ success: true });
    expect(await bash(21, 'other', 'echo "$PWD [$kept]"')).toBe('/ []\n');
    expect(await bash(22, 'main', 'echo "$PWD [$kept]"')).toBe('/usr [1]\n');
  });
});

describe('the end', () => {
  test('what is under way when stdin ends is finished and answered', async () => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'sleep 0.3; echo done' });
    rpc.child.stdin?.end();
    expect((await rpc.response(1)).data).toMatchObject({ output: 'done\n' });
    expect(await rpc.exited).toBe(0);
  });

  test.each(['SIGTERM', 'shutdown'])('%s ends foreground runs, and jobs go on', async (how) => {
    const rpc = start();
    rpc.send({ id: 1, type: 'bash', command: 'sleep 1000', async: true });
    const { run } = (await rpc.response(1)).data as { run: { job: { pid: number; pgid: number } } };
    rpc.send({ id: 2, type: 'bash', command: 'echo $$ >pid; exec sleep 1000' });
    const pid = (): number => Number(readFileSync(join(rpc.root, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), { timeout: 20_000 });
    if (how === 'shutdown') rpc.send({ id: 3, type: 'shutdown' });
    else rpc.child.kill(how as NodeJS.Signals);
    expect(await rpc.exited).toBe(how === 'SIGTERM' ? 143 : 0);
    expect([isAlive(pid()), isAlive(run.job.pid)]).toEqual([false, true]);
    process.kill(-run.job.pgid, 'SIGKILL');
  });
});

describe('approvals', () => {
  const env = {
    NACRE_POLICY_APPROVALS_RULES: '[{"action":"ask","prefix":["touch"]},{"action":"ask","prefix":["mkdir"]}]',
  };

  test.each([
    ['once', { success: true }, true],
    [
      'no',
      { success: false, errorId: 'blocked_by_policy', error: expect.stringContaining('Use git instead.') },
      false,
    ],
  ] as const)('a question is put to the client; %s', async (answer, response, ran) => {
    const rpc = start({ env });
    rpc.send({ id: 1, type: 'bash', command: 'touch made' });
    const asked = await rpc.line(({ type }) => type === 'approval_request');
    expect(asked).toMatchObject({
      id: 1,
      session: 'main',
      question: { command: 'touch made', parts: ['touch made'] },
    });
    const { id: question } = asked.question as { id: string };
    rpc.send({
      id: 2,
      type: 'answer_approval',
      question,
      answer,
      ...(answer === 'no' ? { reason: 'Use git instead.' } : {}),
    });
    expect(await rpc.response(1)).toMatchObject(response);
    expect(await rpc.line(({ type }) => type === 'approval_closed')).toMatchObject({ question });
    expect(existsSync(join(rpc.root, 'made'))).toBe(ran);
    rpc.send({ id: 3, type: 'answer_approval', question, answer });
    expect(await rpc.response(3)).toMatchObject({ success: false, errorId: 'approval_not_found' });
  });

  test('always holds for the next call, and the end of stdin is a no', async () => {
    const rpc = start({ env });
    rpc.send({ id: 1, type: 'bash', command: 'touch one' });
    const { question } = await rpc.line(({ type }) => type === 'approval_request');
    rpc.send({ id: 2, type: 'answer_approval', question: (question as { id: string }).id, answer: 'always' });
    await rpc.response(1);
    rpc.send({ id: 3, type: 'bash', command: 'touch one' });
    expect((await rpc.response(3)).success).toBe(true);
    rpc.send({ id: 4, type: 'bash', command: 'mkdir two' });
    await rpc.line(({ type, id }) => type === 'approval_request' && id === 4);
    rpc.child.stdin?.end();
    expect(await rpc.response(4)).toMatchObject({ success: false, errorId: 'blocked_by_policy' });
    expect(await rpc.exited).toBe(0);
  });
});
