import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseExitRecordLine } from '../../../src/engine/run/exit-record.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { start, startReady, state } = useLocalHost();

test.each([
  ['true', { kind: 'exited', exitCode: 0 }],
  ['exit 3', { kind: 'exited', exitCode: 3 }],
  ['exit 137', { kind: 'exited', exitCode: 137 }],
  ['kill -KILL $$', { kind: 'signaled', signal: 'SIGKILL', number: 9 }],
  ['exit 139', { kind: 'exited', exitCode: 139 }],
  ['kill -TERM $$', { kind: 'signaled', signal: 'SIGTERM', number: 15 }],
  ['kill -SEGV $$', { kind: 'signaled', signal: 'SIGSEGV', number: 11 }],
  ['trap "exit 140" USR1; kill -USR1 $$', { kind: 'exited', exitCode: 140 }],
  ['kill -HUP $$', { kind: 'signaled', signal: 'SIGHUP', number: 1 }],
  ['nonsense-command', { kind: 'exited', exitCode: 127 }],
  ['if', { kind: 'exited', exitCode: 2 }],
])('`%s` ends as bash ends it', async (command, ending) => {
  const { run } = await start(command);
  expect((await run.ended).ending).toEqual(ending);
});

test('endings are told apart when many come at once', async () => {
  const commands = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 'exit 137' : 'kill -KILL $$'));
  const kinds = await Promise.all(
    commands.map(async (command) => (await (await start(command)).run.ended).ending.kind),
  );
  expect(kinds).toEqual(commands.map((command) => (command === 'exit 137' ? 'exited' : 'signaled')));
});

test('a stopped and continued command ends with its own code', async () => {
  const { run } = await startReady('echo ready; kill -STOP $$; exit 6');
  run.signal('SIGCONT');
  // The STOP may come after our CONT: ask again until it is over.
  const again = setInterval(() => run.signal('SIGCONT'), 10);
  expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 6 });
  clearInterval(again);
});

test('the first `kill` of its own group is the command, not the supervisor', async () => {
  const { run } = await start('kill -KILL 0');
  expect((await run.ended).ending).toEqual({ kind: 'signaled', signal: 'SIGKILL', number: 9 });
});

test("nothing of the command, nor a path, stands in the supervisor's arguments", async () => {
  const { run, output } = await start("tr '\\0' ' ' </proc/$PPID/cmdline");
  await run.ended;
  expect(output()).toBe('nacre /dev/fd/4 ');
});

test('a supervisor that is killed leaves a run whose end nobody saw', async () => {
  const { run } = await startReady(
    "trap 'kill -KILL $PPID; exit 0' USR1; echo ready; while :; do sleep 0.01; done",
  );
  run.signal('SIGUSR1');
  expect((await run.ended).ending).toEqual({ kind: 'lost', why: 'its supervisor was killed' });
});

test.each(['/bin/true', '/nonexistent/bash'])(
  '%s is no shell: the start fails, and nothing of it stays',
  async (shell) => {
    const before = readdirSync(join(state, 'runs'));
    await expect(start('true', { shell })).rejects.toMatchObject({ code: 'spawn_failed' });
    expect(readdirSync(join(state, 'runs'))).toEqual(before);
  },
);

test('of a command whose status bash itself lost it is said that it is over, and no code is made up', () => {
  const script = join(import.meta.dirname, '../../../src/engine/run/supervisor.sh');
  const look = `nacre_only_functions=1; . "$1"
    sleep 0 & nacre_pid=$!; wait $!
    for status in -1 3 255; do nacre_how=; : >message; nacre_look "$status"; echo "$nacre_how, $(nacre_guess "$status")"; done`;
  const { stdout } = spawnSync('/bin/bash', ['-c', look, 'bash', script], { cwd: state, encoding: 'utf8' });
  expect(stdout).toBe('failed status, failed status\nexited 3, exited 3\nexited 255, signaled 127\n');
  expect(parseExitRecordLine('failed status - 0 1.5 -')?.ending).toEqual({
    kind: 'lost',
    why: 'it is over, but bash lost its exit status',
  });
});

test('a jump of the wall clock changes no deadline', () => {
  const scripts = ['supervisor.sh', 'supervisor-unattended.sh'].map((name) =>
    join(import.meta.dirname, '../../../src/engine/run', name),
  );
  // The deadline is 1000 s ahead when it is read; then the clock is years ahead.
  const text = `nacre_only_functions=1; . "$1"; . "$2"
    builtin printf -v now '%(%s)T' -1
    nacre_deadline=$((now + 1000)) nacre_job_deadline=$((now + 1000))
    if declare -F nacre_set_deadlines >/dev/null; then nacre_set_deadlines; fi
    unset EPOCHREALTIME
    printf() { if [[ $3 == '%(%s)T'* ]]; then builtin printf -v "$2" 9999999999; else builtin printf "$@"; fi; }
    nacre_remaining; echo "$nacre_left"`;
  const { stdout } = spawnSync('/bin/bash', ['-c', text, 'bash', ...scripts], { encoding: 'utf8' });
  expect(Number(stdout)).toBeGreaterThan(900);
  expect(Number(stdout)).toBeLessThanOrEqual(1000);
});
