import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Approvals,
  type Bash,
  type BashOptions,
  createBash,
  type OpenQuestion,
  openApprovals,
  type QuestionEvent,
  ToolAbortError,
} from '../../../src/index.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const policy = { approvals: { otherwise: 'ask' as const } };

function open(options: BashOptions = {}) {
  const cwd = temporaryDirectory();
  const state = join(cwd, 'state');
  const bash = createBash({ cwd, session: 's', stateDirectory: state, policy, ...options });
  onTestFinished(() => bash.close());
  return { bash, elsewhere: openApprovals({ stateDirectory: state }), state, cwd };
}

const first = (approvals: Approvals): Promise<OpenQuestion> =>
  eventually(() => {
    const [question] = approvals.list();
    if (question === undefined) throw new Error('nobody has asked yet');
    return question;
  });

/** Another program, which asks; it is gone when the test is over, however that ends. */
function startAsking(state: string) {
  const script = join(import.meta.dirname, '../../helpers/asking.mjs');
  const child = spawn(process.execPath, [script, state], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const textOf = async (call: ReturnType<Bash['call']>): Promise<string> => (await call).content[0]?.text ?? '';

describe('a question', () => {
  test('says what is asked, why, and what always would allow', async () => {
    const { bash, elsewhere } = open();
    const call = bash.call({ command: 'echo ran | cat' });
    const question = await first(elsewhere);
    expect(question).toMatchObject({
      session: 's',
      command: 'echo ran | cat',
      parts: ['echo ran', 'cat'],
      spans: [
        { start: 0, end: 8 },
        { start: 11, end: 14 },
      ],
      reason: 'no rule allows this command',
      always: [{ text: 'echo ran' }, { text: 'cat' }],
    });
    expect(question.expiresAt - question.askedAt).toBe(300_000);
    expect(bash.approvals.list()).toEqual([question]);
    bash.approvals.answer(question.id.slice(0, 4), 'once');
    expect((await call).run.output.text).toBe('ran\n');
  });

  test('is answered once, and leaves nothing behind', async () => {
    const { bash, elsewhere, state } = open();
    const call = bash.call({ command: 'echo ran' });
    const { id } = await first(elsewhere);
    elsewhere.answer(id, 'no', { reason: 'Use printf.' });
    expect(() => elsewhere.answer(id, 'once')).toThrow(`There is no open question ${id}.`);
    expect(await textOf(call)).toContain('It was not approved, so it was not run. Use printf.');
    expect(readdirSync(join(state, 'approvals/questions'))).toEqual([]);
    expect(elsewhere.rules()).toEqual([]);
  });

  describe.each([
    ['always', 'session', { session: true, project: false, other: false }],
    ['project', 'project', { session: false, project: true, other: false }],
    ['everywhere', 'everywhere', { session: true, project: true, other: true }],
  ] as const)('that is answered with %s', (answer, scope, holds) => {
    test('is not asked again in that scope, until the rule is deleted', async () => {
      const { bash, elsewhere, state, cwd } = open();
      mkdirSync(join(cwd, '.git'));
      mkdirSync(join(cwd, 'below'));
      const call = bash.call({ command: 'echo one' });
      elsewhere.answer((await first(elsewhere)).id, answer);
      await call;
      const runsIn = async (directory: string, session: string, command = 'echo one') => {
        const never = { approvals: { otherwise: 'ask' as const, waitMs: 0 } };
        const other = createBash({ cwd: directory, session, stateDirectory: state, policy: never });
        const { run } = await other.call({ command });
        await other.close();
        return run.status === 'exited';
      };
      expect(elsewhere.rules()).toMatchObject([{ text: 'echo one', exact: true, scope, project: cwd }]);
      expect({
        session: await runsIn(temporaryDirectory(), 's'),
        project: await runsIn(join(cwd, 'below'), 'other'),
        other: await runsIn(temporaryDirectory(), 'other'),
      }).toEqual(holds);
      expect(await runsIn(cwd, 's')).toBe(true);
      expect(await runsIn(cwd, 's', 'echo two')).toBe(false);
      elsewhere.forget(elsewhere.rules()[0]?.id ?? '');
      expect(await runsIn(cwd, 's')).toBe(false);
    });
  });

  test('that was stored with a wider rule by an older version is asked again', async () => {
    const { bash, elsewhere, state } = open();
    mkdirSync(join(state, 'approvals'), { recursive: true });
    const old = { id: 'old', prefix: ['echo'], learnedAt: 1, command: 'echo one' };
    writeFileSync(join(state, 'approvals/always.jsonl'), `${JSON.stringify(old)}\n`);
    const call = bash.call({ command: 'echo one' });
    elsewhere.answer((await first(elsewhere)).id, 'no');
    expect((await call).error?.id).toBe('blocked_by_policy');
  });

  test('is told to who watches, and its end too', async () => {
    const { bash, elsewhere } = open();
    const events: QuestionEvent[] = [];
    onTestFinished(elsewhere.watch((event) => events.push(event)));
    const call = bash.call({ command: 'echo ran' });
    const { id } = await first(elsewhere);
    await eventually(() => expect(events.map(({ kind }) => kind)).toEqual(['asked']));
    elsewhere.answer(id, 'once');
    await call;
    await eventually(() => expect(events.map(({ kind }) => kind)).toEqual(['asked', 'settled']));
    expect(events.map(({ question }) => question.id)).toEqual([id, id]);
  });

  test('of another session is not shown to a session', async () => {
    const { bash, elsewhere, state } = open();
    const call = bash.call({ command: 'echo ran' });
    const { id } = await first(elsewhere);
    const stranger = openApprovals({ stateDirectory: state, session: 'other' });
    expect(stranger.list()).toEqual([]);
    expect(() => stranger.answer(id, 'once')).toThrow('There is no open question');
    elsewhere.answer(id, 'once');
    await call;
  });

  test('shows no secret, and none is kept', async () => {
    const { bash, elsewhere, state } = open({ secrets: { mask: ['hunter2hunter2'] } });
    const call = bash.call({ command: 'curl -s hunter2hunter2' });
    const question = await first(elsewhere);
    expect(question).toMatchObject({
      command: 'curl -s [redacted]',
      parts: ['curl -s [redacted]'],
      always: [],
    });
    const [file = ''] = readdirSync(join(state, 'approvals/questions'));
    expect(readFileSync(join(state, 'approvals/questions', file), 'utf8')).not.toContain('hunter2');
    elsewhere.answer(question.id, 'no');
    await call;
  });
});

describe('a wait for an answer', () => {
  test('has a limit', async () => {
    const { bash, elsewhere } = open({ policy: { approvals: { otherwise: 'ask', waitMs: 1 } } });
    expect(await textOf(bash.call({ command: 'echo ran' }))).toContain(
      'No answer within 0.001 seconds, so it was not run.',
    );
    expect(elsewhere.list()).toEqual([]);
  });

  test('ends with the call that was aborted, which withdraws its question', async () => {
    const { bash, elsewhere } = open();
    const controller = new AbortController();
    const call = bash.call({ command: 'echo ran' }, { signal: controller.signal });
    await first(elsewhere);
    controller.abort();
    await expect(call).rejects.toThrow(ToolAbortError);
    expect(elsewhere.list()).toEqual([]);
  });

  test('ends when the instance is closed', async () => {
    const { bash, elsewhere } = open();
    const call = bash.call({ command: 'echo ran' });
    await first(elsewhere);
    await bash.close();
    expect(await textOf(call)).toContain('The approval request was withdrawn, so it was not run.');
  });

  test('of a program that was killed leaves no question', async () => {
    const { elsewhere, state } = open();
    const child = startAsking(state);
    await first(elsewhere);
    child.kill('SIGKILL');
    await eventually(() => expect(elsewhere.list()).toEqual([]));
    expect(readdirSync(join(state, 'approvals/questions'))).toEqual([]);
  });

  test('of another program ends with the answer from here', async () => {
    const { elsewhere, state } = open();
    const child = startAsking(state);
    elsewhere.answer((await first(elsewhere)).id, 'once');
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('ran\n');
  });
});

describe('an approver', () => {
  test('that says nothing leaves the question to others, and hears when it is settled', async () => {
    const heard: string[] = [];
    const approve = (question: OpenQuestion, signal: AbortSignal) => {
      signal.addEventListener('abort', () => heard.push(question.id));
      return undefined;
    };
    const { bash, elsewhere } = open({ approve });
    const call = bash.call({ command: 'echo ran' });
    const { id } = await first(elsewhere);
    elsewhere.answer(id, 'once');
    expect((await call).run.output.text).toBe('ran\n');
    expect(heard).toEqual([id]);
  });

  test('of a call goes before that of the instance', async () => {
    const { bash } = open({ approve: () => 'no' });
    expect((await bash.call({ command: 'echo ran' }, { approve: () => 'once' })).run.output.text).toBe(
      'ran\n',
    );
  });

  test('that is slower than a person elsewhere comes too late', async () => {
    let say: (answer: 'once') => void = () => undefined;
    const approve = (): Promise<'once'> => new Promise((resolve) => (say = resolve));
    const { bash, elsewhere } = open({ approve });
    const call = bash.call({ command: 'echo ran' });
    elsewhere.answer((await first(elsewhere)).id, 'no');
    say('once');
    expect((await call).error?.id).toBe('blocked_by_policy');
  });
});
