import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/engine/hosts/host.ts';
import type { RemoteConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { PoolHost } from '../../src/tool/hosts/pool-host.ts';
import type { ResolvedOptions } from '../../src/tool/options/bash-options.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { toRequest } from './bench.ts';

/** Behaviours of one connection; `place` is a remote home directory. */
const WAYS = {
  works: (place: string) => `export HOME=${place}; exec bash --noprofile --norc`,
  /** The script arrives and runs, but no report line comes back. */
  silent: (place: string) => `export HOME=${place}; bash --noprofile --norc >/dev/null 2>&1; exit 255`,
  /** The script arrives and is stored, as on a machine that is suspended. */
  late: (place: string) => `export HOME=${place}; cat >late; exit 255`,
  /** The script is lost, which the client cannot know. */
  swallowed: () => 'cat >/dev/null; exit 255',
  /** No machine answers. */
  nobody: () => 'echo "connect: Connection timed out" >&2; exit 255',
  refused: () => 'echo "connect: Connection refused" >&2; exit 255',
  /** The machine answers, but has no such shell. */
  shellless: () => 'cat >/dev/null; echo "bash: line 1: exec: nosh: not found" >&2; exit 127',
  stuck: () => 'exec sleep 1000',
} as const;

type Way = keyof typeof WAYS | readonly [keyof typeof WAYS, string];

/** A machine whose connections behave as listed, one after the other; the last behaviour repeats. */
function machine(ways: readonly Way[]) {
  const state = temporaryDirectory();
  const room = temporaryDirectory();
  const home = join(room, 'home');
  const cases = ways.map((way, i) => {
    const [name, place] = typeof way === 'string' ? [way, home] : [way[0], join(room, way[1])];
    return `${i === ways.length - 1 ? '*' : i + 1}) mkdir -p '${place}'; ${WAYS[name](`'${place}'`)} ;;`;
  });
  const program = join(room, 'client');
  // One file per connection, because connections may be concurrent.
  writeFileSync(
    program,
    `#!/bin/bash\ncd '${room}'\nn=1; until mkdir "n$n" 2>/dev/null; do ((n++)); done\ncase $n in\n${cases.join('\n')}\nesac\n`,
    { mode: 0o755 },
  );
  const client: RemoteConnector = {
    argv: [program],
    env: { PATH: '/usr/bin:/bin', HOME: room },
    // Fewer retries of an unsure start than by default.
    openScript: 'nacre_remote_max_tries=3\n',
    close: () => Promise.resolve(),
  };
  const host = createRemoteHost({
    name: 'box',
    connector: client,
    shell: 'bash',
    stateDirectory: state,
    onExit: 'end',
  });
  const count = (): number => (existsSync(join(room, 'ran')) ? readFileSync(join(room, 'ran')).length : 0);
  return { room, home, state, host, count, command: `printf x >>'${room}/ran'; echo done` };
}

/** Runs a command and returns its outcome, or the error. */
async function outcome(host: Host, command: string, signal?: AbortSignal): Promise<unknown> {
  try {
    const run = await host.start(toRequest(command, { cwd: '/', ...(signal ? { signal } : {}) }));
    const { ending } = await run.ended;
    return ending.kind === 'exited' ? ending.exitCode : ending.kind;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** The first connection only asks for the id of the place. */
const FIRST = 'works';

describe('a command is never run twice', () => {
  test('one whose start was heard of by nobody is found by the second', async () => {
    const { host, command, count } = machine([FIRST, 'silent', 'works']);
    expect([await outcome(host, command), count()]).toEqual([0, 1]);
    await host.close();
  });

  test('one whose first start arrives after the second is over, and cleared away', async () => {
    const { host, command, count, room, home } = machine([FIRST, 'late', 'works']);
    expect([await outcome(host, command), count()]).toEqual([0, 1]);
    await host.close();
    const input = readFileSync(join(room, 'late'));
    const late = spawnSync('bash', ['--noprofile', '--norc'], { input, env: { ...process.env, HOME: home } });
    expect(late.stderr.toString()).toContain('nacre');
    expect(count()).toBe(1);
  });

  test('one in doubt is not run where another machine answers by the same name', async () => {
    const { host, command, count } = machine([FIRST, 'silent', ['works', 'other']]);
    expect([await outcome(host, command), count()]).toEqual(['start_unknown', 1]);
    await host.close();
  });

  test('one that was certainly not begun is run where another machine answers by then', async () => {
    const { host, command, count } = machine([FIRST, 'nobody', ['works', 'other']]);
    expect([await outcome(host, command), count()]).toEqual([0, 1]);
    await host.close();
  });

  test('what an earlier connection said is no reason for a later one', async () => {
    const { host, command, count } = machine([FIRST, 'nobody', 'silent', 'refused']);
    expect([await outcome(host, command), count()]).toEqual(['start_unknown', 1]);
    await host.close();
  });

  test('what nobody has read has not begun, and is said at once where that will not change', async () => {
    const { host, command, count } = machine(['refused']);
    expect([await outcome(host, command), count()]).toEqual(['host_unreachable', 0]);
    await host.close();
  });

  test('a shell that is not there has run nothing', async () => {
    const { host, command, count } = machine(['shellless']);
    expect([await outcome(host, command), count()]).toEqual(['host_unreachable', 0]);
    await host.close();
  });

  test('one that is aborted while it is on its way never begins', async () => {
    const { host, command, count, room, home } = machine([FIRST, 'late', 'stuck', 'works']);
    const controller = new AbortController();
    const ended = outcome(host, command, controller.signal);
    await expect.poll(() => existsSync(join(room, 'n3')), { timeout: 20_000 }).toBe(true);
    controller.abort();
    expect(await ended).toBe('stopped');
    // The abort arrives before the start.
    const far = join(home, '.local/state/nacre/far');
    const isVoid = (): boolean => readdirSync(far).some((id) => existsSync(join(far, id, 'failed')));
    await expect.poll(isVoid, { timeout: 20_000 }).toBe(true);
    const input = readFileSync(join(room, 'late'));
    spawnSync('bash', ['--noprofile', '--norc'], { input, env: { ...process.env, HOME: home } });
    expect(count()).toBe(0);
    await host.close();
  });

  test('a stand-in that is killed leaves a doubt, not a permission', async () => {
    const { host, command, room, state } = machine(['stuck']);
    const started = outcome(host, command);
    await expect.poll(() => existsSync(join(room, 'n1')), { timeout: 20_000 }).toBe(true);
    const [id = ''] = readdirSync(join(state, 'runs'));
    const [, pid] = /^command (\d+)/m.exec(readFileSync(join(state, 'runs', id, 'who'), 'utf8')) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    expect(await started).toBe('start_unknown');
    await host.close();
  });
});

describe('a pool', () => {
  function pool(members: Record<string, Host>): Host {
    const options = { stateDirectory: temporaryDirectory() } as ResolvedOptions;
    const open = (name: string): Host => members[name] as Host;
    return new PoolHost(
      { type: 'pool', hosts: Object.keys(members) },
      { name: 'farm', session: 's', options, open },
    );
  }

  test('passes over who cannot be reached, and runs it once', async () => {
    const down = machine(['refused']);
    const up = machine(['works']);
    const farm = pool({ down: down.host, up: up.host });
    expect(await outcome(farm, up.command)).toBe(0);
    expect(up.count()).toBe(1);
    await farm.close();
  });

  test('does not go elsewhere with what may have begun, then or later', async () => {
    const doubtful = machine([FIRST, 'silent', 'refused']);
    const up = machine(['works']);
    const farm = pool({ doubtful: doubtful.host, up: up.host });
    expect(await outcome(farm, doubtful.command)).toBe('start_unknown');
    expect(await outcome(farm, doubtful.command)).toBe('host_unreachable');
    expect([doubtful.count(), up.count()]).toEqual([1, 0]);
    await farm.close();
  });

  test('first commands that come together end up on one host, each run once', async () => {
    const down = machine(['refused']);
    const up = machine(['works']);
    const farm = pool({ down: down.host, up: up.host });
    const all = await Promise.all(Array.from({ length: 6 }, () => outcome(farm, up.command)));
    expect([all, up.count()]).toEqual([[0, 0, 0, 0, 0, 0], 6]);
    await farm.close();
  });
});
