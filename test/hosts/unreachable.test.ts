import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SshConfig } from '../../src/tool/options/host-config.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped, useHost } from './bench.ts';
import { freePort } from './sshd.ts';

/** Runs the command line with settings in a home directory and an input that never ends. */
function run(host: object, words: readonly string[]) {
  const home = temporaryDirectory();
  const state = join(home, 'state');
  mkdirSync(join(home, '.config/nacre'), { recursive: true });
  writeFileSync(join(home, '.config/nacre/settings.json'), JSON.stringify({ hosts: { box: host } }));
  const child = spawn(process.execPath, ['bin/nacre.cjs', 'run', '--host', 'box', ...words], {
    env: { PATH: '/usr/bin:/bin', HOME: home, XDG_STATE_HOME: state },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const ended = new Promise<{ code: number | null; text: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, text: Buffer.concat(chunks).toString() })),
  );
  return { child, ended, runs: () => readdirSync(join(state, 'nacre/runs')) };
}

describe.skipIf(isSkipped('ssh'))('a host that cannot be reached', () => {
  const { sshd } = useHost('ssh');
  let silent: Server | undefined;
  let silentPort = 0;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    silentPort = await freePort();
    await new Promise<void>((resolve) => silent?.listen(silentPort, '127.0.0.1', resolve));
  });
  afterAll(() => silent?.close());

  const WAYS: readonly (readonly [string, (box: SshConfig) => object | Promise<object>, string])[] = [
    ['nobody listens', async (box) => ({ ...box, port: await freePort() }), 'Connection refused'],
    ['there is no such name', (box) => ({ ...box, destination: 'box.invalid' }), 'not resolve hostname'],
    [
      'the key is another one',
      (box) => {
        const identityFile = join(temporaryDirectory(), 'id');
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', identityFile]);
        return { ...box, identityFile };
      },
      'Permission denied',
    ],
    ['there is no such shell', (box) => ({ ...box, shell: '/nacre/no-bash' }), 'No such file or directory'],
    ['there is no such container', () => ({ type: 'docker', container: 'nacre-no-such' }), ''],
  ];

  test.each(
    WAYS.flatMap(([what, how, said]) =>
      [[], ['--async'], ['--view']].map((flags) => [what, flags, how, said] as const),
    ),
  )('%s: said at once, and nothing is left (%j)', async (_, flags, how, said) => {
    const { ended, runs } = run(await how(sshd().box), [...flags, 'true']);
    const { code, text } = await ended;
    expect([code, text]).toEqual([125, expect.stringContaining('so nothing was run')]);
    expect(text).toContain(said);
    await expect.poll(runs, { timeout: 10_000 }).toEqual([]);
  });

  test('who takes connections and never says a word is given up at the time limit', async () => {
    const host = { ...sshd().box, port: silentPort };
    expect((await run(host, ['--timeout', '1', 'true']).ended).code).toBe(124);
  });

  test('and when somebody interrupts it', async () => {
    const { child, ended, runs } = run({ ...sshd().box, port: silentPort }, ['true']);
    await expect.poll(() => tryTo(runs).length, { timeout: 10_000 }).toBe(1);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });
});

function tryTo(list: () => string[]): string[] {
  try {
    return list();
  } catch {
    return [];
  }
}
