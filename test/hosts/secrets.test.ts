import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectMachine } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped, useHost } from './bench.ts';

/** Starts a program with an environment and returns the processes that have a given variable. */
async function whoHas(
  host: string,
  hosts: object,
): Promise<{ caller: number; others: string[]; seen: string }> {
  const secret = `s3cret-${randomUUID()}`;
  const stateDirectory = temporaryDirectory();
  const program = `import { createBash } from ${JSON.stringify(join(process.cwd(), 'dist/index.js'))};
    const bash = createBash({ stateDirectory: ${JSON.stringify(stateDirectory)}, cwd: ${JSON.stringify(temporaryDirectory())}, host: ${JSON.stringify(host)}, hosts: ${JSON.stringify(hosts)} });
    await bash.call({ command: 'true' });
    const job = await bash.call({ command: 'sleep 1000', async: true });
    const { run } = await bash.call({ command: 'env | grep -c MY_API_; grep -al ^MY_API_TOKEN= /proc/[0-9]*/environ -z 2>/dev/null | wc -l' }, {});
    console.log(JSON.stringify({ text: run.output.text }));
    process.stdin.once('data', async () => { await bash.jobs.kill(job.run.runId, { escalate: true }); await bash.close(); process.exit(); });`;
  const caller = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, MY_API_TOKEN: secret },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let line = '';
  while (!line.includes('\n'))
    line += await new Promise<string>((resolve, reject) => {
      caller.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      caller.once('exit', () => reject(new Error(`the program ended: ${line}`)));
    });
  const { text } = JSON.parse(line) as { text: string };
  const others = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== caller.pid)
    .filter((name) => hasText(name, secret));
  const named = others.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' '));
  caller.stdin.write('\n');
  await new Promise((resolve) => caller.once('exit', resolve));
  return { caller: caller.pid ?? 0, others: named, seen: text };
}

function hasText(pid: string, secret: string): boolean {
  try {
    return ['environ', 'cmdline'].some((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'latin1').includes(secret),
    );
  } catch {
    return false;
  }
}

describe('what is withheld from commands', () => {
  test('no process of ours has it in its environment or its words, on this machine; of the caller, doctor says so', async () => {
    const { others, seen } = await whoHas('local', {});
    expect(others).toEqual([]);
    const facts = inspectMachine({
      stateDirectory: temporaryDirectory(),
      searchPath: process.env.PATH ?? '',
      configured: null,
    });
    expect(seen).toBe(facts.parentEnvironment === 'readable' ? '0\n1\n' : '0\n0\n');
  });

  test.skipIf(isSkipped('sandbox'))(
    'nor around a sandbox, and nobody in it can read it anywhere',
    async () => {
      expect(await whoHas('sandbox', {})).toMatchObject({ others: [], seen: '0\n0\n' });
    },
  );

  describe.skipIf(isSkipped('ssh'))('on the way to another machine', () => {
    const { sshd } = useHost('ssh');
    test('nor who stands in for a command, nor its client', async () => {
      const { others } = await whoHas('box', { box: { ...sshd().box, directory: '/tmp' } });
      expect(others).toEqual([]);
    });
  });
});
