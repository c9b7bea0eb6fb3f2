import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { connectMcp, ERAS, type Era, type McpPeer } from '../../helpers/mcp-client.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const peers: McpPeer[] = [];

async function connect(era: Era, args: readonly string[] = []) {
  const root = temporaryDirectory();
  const heard = { updated: [] as string[], changed: 0, logged: [] as string[] };
  const peer = await connectMcp({
    ...{ root, era, args },
    prepare: (client) => {
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void heard.updated.push(params.uri),
      );
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        heard.changed += 1;
      });
      client.setNotificationHandler(
        'notifications/message',
        ({ params }) => void heard.logged.push(String(params.data)),
      );
    },
  });
  peers.push(peer);
  const { client } = peer;
  const run = async (command: string, more: object = {}) => {
    const result = await client.callTool({ name: 'bash', arguments: { command, ...more } });
    return result.structuredContent as {
      runId: string;
      artifact: string;
      job?: { id: string; pgid: number };
    };
  };
  const read = async (uri: string): Promise<string> => {
    const { contents } = await client.readResource({ uri });
    return (contents[0] as { text: string }).text;
  };
  return { client, root, heard, run, read };
}

afterEach(async () => {
  for (const { client } of peers.splice(0)) await client.close();
});

describe.each(ERAS)('resources, revision $era', ({ era }) => {
  test('artifacts are listed, and read whole, by range and by search', async () => {
    const { client, run, read } = await connect(era);
    const { artifact } = await run('seq 1000');
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: artifact, size: 3893, title: 'Output: seq 1000' }]);
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual([
      'artifact',
      'artifact-errors',
      'job',
    ]);
    expect((await read(artifact)).split('\n')).toHaveLength(1001);
    expect(await read(`${artifact}?lines=10-12`)).toBe('10\n11\n12\n');
    expect(await read(`${artifact}?head=2`)).toBe('1\n2\n');
    expect(await read(`${artifact}?tail=1`)).toBe('1000\n');
    expect(await read(`${artifact}?bytes=0-4`)).toBe('1\n2\n');
    expect(await read(`${artifact}?regex=%5E99.$`)).toContain('999');
    expect(await read(`${artifact}?search=777`)).toContain('777');
  });

  test('what is too long for one answer says how to go on', async () => {
    const { run, read } = await connect(era);
    const { artifact } = await run('seq 100000');
    expect(await read(artifact)).toMatch(/\[.*continue from byte \d+/);
  });

  test('bytes that are no text come as they are', async () => {
    const { client, run } = await connect(era);
    const { artifact } = await run("printf '\\x00\\x01\\x02\\xff'");
    const { contents } = await client.readResource({ uri: `${artifact}?bytes=0-4` });
    expect(contents[0]).toMatchObject({ mimeType: 'application/octet-stream', blob: 'AAEC/w==' });
  });

  test('stderr that is kept apart is a resource of its own', async () => {
    const { client, run, read } = await connect(era, ['--profile', 'simple']);
    const { artifact } = await run('echo out; echo err >&2');
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      artifact,
      `${artifact}/err`,
    ]);
    expect(await read(`${artifact}/err`)).toBe('err\n');
  });

  test('what is not there, not ours, or not a part is refused, and said why', async () => {
    const { client, run } = await connect(era);
    const { artifact } = await run('echo x');
    for (const [uri, problem] of [
      ['artifact://nobody', /nobody/],
      ['file:///etc/passwd', /passwd/],
      ['artifact://../../etc/passwd', /passwd/],
      [`${artifact}?lines=20-10`, /lines: expected a range/],
      [`${artifact}?lines=1-2&tail=3`, /tail: cannot be combined with lines/],
      [`${artifact}?all=1`, /all: is unknown; available: lines, head/],
      [`${artifact}?regex=(`, /regex: /],
      ['job://nobody', /nobody/],
    ] as const)
      await expect(client.readResource({ uri })).rejects.toThrow(problem);
  });

  test('another session reads nothing by guessing', async () => {
    const { run } = await connect(era);
    const other = await connect(era);
    const { artifact } = await run('echo secret');
    await expect(other.client.readResource({ uri: artifact })).rejects.toThrow();
    expect((await other.client.listResources()).resources).toEqual([]);
  });

  test('a job is a resource; who subscribed hears when it prints something and when it ends', async () => {
    const { client, root, heard, run, read } = await connect(era);
    const log = join(root, 'log');
    writeFileSync(log, 'first\n');
    const { job } = await run(`exec tail -f ${log}`, { async: true });
    const uri = `job://${job?.id}`;
    if (era === '2026-07-28')
      await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
    else await client.subscribeResource({ uri });
    await expect.poll(() => read(uri), { timeout: 20_000 }).toMatch(/^running for .*: job [\s\S]*first/);
    appendFileSync(log, 'second\n');
    await expect.poll(() => heard.updated, { timeout: 20_000 }).toContain(uri);
    expect(await read(`${uri}?lines=1`)).toMatch(/second/);
    const before = { ...heard, updated: heard.updated.length };
    await client.callTool({ name: 'job', arguments: { action: 'kill', id: job?.id, signal: 'KILL' } });
    await expect.poll(() => heard.updated.length, { timeout: 20_000 }).toBeGreaterThan(before.updated);
    await expect.poll(() => read(uri), { timeout: 20_000 }).toMatch(/^failed \(exit code 137, SIGKILL\)/);
  });

  test('nobody hears of what he did not subscribe to', async () => {
    const { client, heard, run } = await connect(era);
    await run('exit 3', { async: true });
    await client.callTool({ name: 'bash', arguments: { command: 'sleep 1.5' } });
    expect(heard.updated).toEqual([]);
  });
});

test('the end of a job is told by a message, with the status on its first line, once', async () => {
  const { heard, run } = await connect('2025-11-25');
  await run('echo why; exit 3', { async: true });
  await expect.poll(() => heard.logged, { timeout: 20_000 }).toHaveLength(1);
  expect(heard.logged[0]).toMatch(/^failed \(exit code 3\).*\n\nwhy\n/);
});
