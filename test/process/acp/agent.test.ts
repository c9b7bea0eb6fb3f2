import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openEditor, read } from '../../helpers/acp-client.ts';

describe('nacre acp with an editor that has terminals', () => {
  test('runs what is typed in the terminal of the editor, and gives it back', async () => {
    const { hello, prompt, updates, terminals, released } = await openEditor();
    expect(hello).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'nacre' } });
    expect(await prompt('echo "in $TERM"; exit 3')).toEqual({ stopReason: 'end_turn' });
    const { calls, changes, last, said } = read(updates);
    expect(calls).toMatchObject([
      { title: 'echo "in $TERM"; exit 3', kind: 'execute', status: 'in_progress' },
    ]);
    expect(changes[0]).toMatchObject({
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: 'term-1' }],
    });
    expect(last).toMatchObject({
      status: 'failed',
      rawOutput: { exitCode: 3, output: { text: 'in dumb\n' } },
    });
    expect(said).toContain('Exit code 3.');
    expect([...terminals.values()][0]?.output).toBe('in dumb\n');
    expect(released).toEqual(['term-1']);
  });

  test('a cancelled turn ends the command', async () => {
    const { prompt, cancel, terminals, released, updates } = await openEditor();
    const turn = prompt('echo ready; exec sleep 1000');
    await expect.poll(() => [...terminals.values()][0]?.output, { timeout: 30_000 }).toBe('ready\n');
    await cancel();
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    expect([...terminals.values()][0]?.exit).toMatchObject({ signal: 'SIGKILL' });
    expect(released).toEqual(['term-1']);
    expect(read(updates).said).toContain('Cancelled.');
  });

  test('an editor that goes away in the middle takes the agent with it', async () => {
    const { prompt, terminals, leave } = await openEditor();
    const turn = prompt('echo ready; exec sleep 1000').catch(() => 'gone');
    await expect.poll(() => [...terminals.values()][0]?.output, { timeout: 30_000 }).toBe('ready\n');
    expect(await leave()).toBe(0);
    expect(await turn).toBe('gone');
    for (const { child } of terminals.values()) child.kill('SIGKILL');
  });
});

describe('nacre acp with an editor that has none', () => {
  test('runs here, and shows the end of the output as it comes', async () => {
    const { prompt, updates, directory } = await openEditor({ terminals: false });
    const turn = prompt('echo ready; until [ -e go ]; do sleep 0.02; done; echo end');
    await expect.poll(() => JSON.stringify(read(updates).changes), { timeout: 30_000 }).toContain('ready');
    writeFileSync(join(directory, 'go'), '');
    expect(await turn).toEqual({ stopReason: 'end_turn' });
    expect(read(updates).last).toMatchObject({
      status: 'completed',
      rawOutput: { output: { text: 'ready\nend\n' } },
    });
  });

  test('files that are mentioned are paths in the command', async () => {
    const { prompt, updates, directory } = await openEditor({ terminals: false });
    const file = join(directory, "it's a file.txt");
    writeFileSync(file, 'content\n');
    await prompt('cat ', [{ type: 'resource_link', name: 'x', uri: pathToFileURL(file).href }]);
    expect(read(updates).last).toMatchObject({ rawOutput: { output: { text: 'content\n' } } });
  });

  test('what is no command is said', async () => {
    const { prompt, updates } = await openEditor({ terminals: false });
    await prompt('x', [{ type: 'image', data: '', mimeType: 'image/png' }]);
    await prompt('  ');
    const { said, calls } = read(updates);
    expect(said).toMatch(/only text and files[\s\S]*Type a command/);
    expect(calls).toEqual([]);
  });

  test('jobs: started, listed, ended', async () => {
    const { prompt, updates } = await openEditor({ terminals: false });
    await prompt('/background echo ready; sleep 1000');
    const [, id] = /job (\w+)/i.exec(read(updates).said) ?? [];
    expect(read(updates).last).toMatchObject({ status: 'completed' });
    await prompt('/jobs');
    expect(read(updates).said).toContain(id);
    await prompt(`/kill ${id}`);
    await prompt(`/peek ${id}`);
    expect(read(updates).said).toContain('ready');
  });
});

describe('questions of the policy', () => {
  const settings = { NACRE_POLICY_APPROVALS_RULES: '[{"action": "ask", "prefix": ["echo"]}]' };

  test('go to the editor, and once is once', async () => {
    const { prompt, questions, updates } = await openEditor({ settings });
    await prompt('echo yes');
    await prompt('echo again');
    expect(questions).toMatchObject([
      {
        toolCall: { toolCallId: 'call-1', title: 'echo yes' },
        options: [
          { optionId: 'once', kind: 'allow_once' },
          { optionId: 'always', name: 'Always allow exactly: echo yes (in this session)' },
          { optionId: 'project', kind: 'allow_always' },
          { optionId: 'everywhere', name: 'Always allow exactly: echo yes (everywhere)' },
          { optionId: 'no', kind: 'reject_once' },
        ],
      },
      { toolCall: { toolCallId: 'call-2' } },
    ]);
    expect(read(updates).last).toMatchObject({ status: 'completed' });
  });

  test.each(['always', 'project', 'everywhere'])('%s is remembered for these words', async (answer) => {
    const { prompt, questions } = await openEditor({ settings, answer });
    await prompt('echo yes');
    await prompt('echo yes');
    expect(questions).toHaveLength(1);
    await prompt('echo other');
    expect(questions).toHaveLength(2);
  });

  test('no is no', async () => {
    const { prompt, updates, terminals } = await openEditor({ settings, answer: 'no' });
    await prompt('echo no');
    expect(read(updates).last).toMatchObject({ status: 'failed', rawOutput: { status: 'refused' } });
    expect(terminals.size).toBe(0);
  });

  test('a question that nobody answers ends with the turn', async () => {
    const { prompt, questions, cancel, terminals } = await openEditor({ settings, answer: null });
    const turn = prompt('echo never');
    await expect.poll(() => questions.length, { timeout: 30_000 }).toBe(1);
    await cancel();
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    expect(terminals.size).toBe(0);
  });
});

test('so many sessions and no more; one that is closed makes room', async () => {
  const { connection, directory, sessionId } = await openEditor();
  const open = () => connection.agent.request('session/new', { cwd: directory, mcpServers: [] });
  for (let more = 1; more < 64; more += 1) await open();
  await expect(open()).rejects.toMatchObject({
    data: { details: '64 sessions are open, which is the limit. Close one first.' },
  });
  await connection.agent.request('session/close', { sessionId });
  await open();
});

test('nobody knows a session that was not made, and one turn is enough', async () => {
  const { connection, prompt, cancel, terminals } = await openEditor();
  const request = { sessionId: 'other', prompt: [{ type: 'text' as const, text: 'x' }] };
  await expect(connection.agent.request('session/prompt', request)).rejects.toThrow();
  const turn = prompt('echo ready; exec sleep 1000');
  await expect.poll(() => terminals.size, { timeout: 30_000 }).toBe(1);
  await expect(prompt('echo other')).rejects.toThrow();
  await cancel();
  await turn;
});
