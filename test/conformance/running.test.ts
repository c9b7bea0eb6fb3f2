import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { isAlive } from '../helpers/is-alive.ts';
import { proves, provesToModels } from './doors.ts';

proves('RUN-1', 'a command runs in real bash, whole', async (open) => {
  const { run } = await open().call({
    command: 'echo $0; diff <(echo a) <(echo b); mapfile -t x < <(seq 3); echo ${#x[@]}',
  });
  expect(run.output.text).toBe('bash\n1c1\n< a\n---\n> b\n3\n');
});

proves('RUN-1', 'a NUL in a value is refused, and nothing runs', async (open) => {
  const door = open();
  const { isError, error, run } = await door
    .call({ command: 'touch ran', cwd: 'a\0b' })
    .catch((thrown: Error) => {
      // No program can be given a NUL as an argument: the system itself refuses.
      if (/null bytes/.test(thrown.message))
        return { isError: true, error: { id: 'bad_input' }, run: { status: 'refused' } };
      throw thrown;
    });
  expect([isError, error?.id, run.status]).toEqual([true, 'bad_input', 'refused']);
  expect(existsSync(join(door.place, 'ran'))).toBe(false);
});

proves('RUN-2', 'a run is on disk: what was asked, the raw output, the end', async (open) => {
  const door = open();
  const { run } = await door.call({ command: 'printf "\\033[31mred\\033[0m\\n"; exit 3' });
  const directory = join(door.stateDirectory, 'runs', String(run.runId));
  expect(JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'))).toMatchObject({ id: run.runId });
  expect(readFileSync(join(directory, 'out'), 'utf8')).toBe('\u001b[31mred\u001b[0m\n');
  expect(readFileSync(join(directory, 'ending'), 'utf8')).toMatch(/^exited 3 /);
});

proves('RUN-3', 'a call ends when its process ends, and who stays behind is named', async (open) => {
  const { run } = await open().call({ command: 'sleep 1000 & echo done' });
  expect(run).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'done\n' } });
  expect(run.job?.id).toBe(run.runId);
  expect(run.notes.join()).toContain('sleep 1000');
  process.kill(-Number(run.job?.pgid), 'SIGKILL');
});

proves('RUN-5', 'stdin is empty and there is no terminal', async (open) => {
  const { run } = await open().call({ command: 'cat; [ -t 0 ] || [ -t 1 ] || echo none' });
  expect(run.output.text).toBe('none\n');
});

proves('RUN-5', 'text given as input is the input, to its end', async (open) => {
  const { run } = await open().call({ command: 'cat; echo "<"', stdin: 'first\nno newline' });
  expect(run.output.text).toBe('first\nno newline<\n');
});

provesToModels('RUN-4', 'a wait that is over is no end: the run goes on as a job', async (open) => {
  const door = open();
  const { run, isError } = await door.call({ command: 'read -t 1000 <> <(:); echo over', wait: 0 });
  expect([run.status, isError, run.job?.state]).toEqual(['running', false, 'running']);
  expect(await door.job({ action: 'peek', id: String(run.runId) })).toMatch(/running/);
  await door.job({ action: 'kill', id: String(run.runId) });
});

proves('RUN-6', 'a directory must be there, and be one', async (open) => {
  const door = open();
  writeFileSync(join(door.place, 'file'), '');
  const missing = await door.call({ command: 'true', cwd: 'nowhere' });
  const file = await door.call({ command: 'true', cwd: 'file' });
  expect(missing.error).toMatchObject({ id: 'cwd_missing' });
  expect(missing.content[0]?.text).toBe(`Working directory does not exist: ${join(door.place, 'nowhere')}`);
  expect(file.content[0]?.text).toBe(`Working directory is not a directory: ${join(door.place, 'file')}`);
});

proves('RUN-6', 'a leading cd to a literal path moves, and everything else is left to bash', async (open) => {
  const door = open();
  mkdirSync(join(door.place, 'a b/c'), { recursive: true });
  symlinkSync(join(door.place, 'a b'), join(door.place, 'link'));
  const pwd = async (command: string): Promise<string> => {
    const { run } = await door.call({ command });
    await door.call({ command: `cd '${door.place}'` });
    return run.output.text.trim();
  };
  expect(await pwd('cd / && pwd')).toBe('/');
  expect(await pwd('cd "a b" && pwd')).toBe(join(door.place, 'a b'));
  expect(await pwd('cd a\\ b && cd c && pwd')).toBe(join(door.place, 'a b/c'));
  expect(await pwd('cd link && pwd')).toBe(join(door.place, 'link'));
  expect(await pwd('cd nowhere 2>/dev/null && pwd; echo after')).toBe('after');
  expect(await pwd('cd l* && pwd')).toBe(join(door.place, 'link'));
});

proves('RUN-7', 'names of variables are checked, values are values', async (open) => {
  const door = open();
  const value = '$(touch ran) `x` "q" \'s\' \n end';
  const { run } = await door.call({ command: 'printf %s "$V"', env: { V: value } });
  expect(run.output.text).toBe(value);
  const { error } = await door.call({ command: 'true', env: { 'not-a-name': 'x' } });
  expect(error).toMatchObject({ id: 'env_name_invalid', message: 'Invalid bash env name: not-a-name' });
  expect(existsSync(join(door.place, 'ran'))).toBe(false);
});

proves('RUN-8', 'a last head or tail is a limit of what is shown, where that is set', async (open) => {
  const command = '(seq 10; exit 3) | tail -n 2';
  expect((await open().call({ command })).run).toMatchObject({ exitCode: 0, output: { totalLines: 2 } });
  const { run } = await open({ inherited: { NACRE_LIFT_LIMITS: '1' } }).call({ command });
  expect(run).toMatchObject({
    exitCode: 3,
    output: { text: expect.stringMatching(/9\n10\n/), totalLines: 10 },
  });
});

proves('RUN-9', 'a prefix goes before every command', async (open) => {
  const { run } = await open({ inherited: { NACRE_SHELL_PREFIX: 'set -o pipefail;' } }).call({
    command: '(exit 3) | cat',
  });
  expect(run.exitCode).toBe(3);
});

proves(
  'RUN-10',
  'stages of a last pipeline that ended differently are told, and the status stays',
  async (open) => {
    const door = open();
    expect((await door.call({ command: '(exit 3) | cat' })).run).toMatchObject({
      exitCode: 0,
      pipeStatus: [3, 0],
    });
    expect((await door.call({ command: 'yes | head -1' })).run.pipeStatus).toBeUndefined();
    expect((await door.call({ command: 'true | true' })).run.pipeStatus).toBeUndefined();
  },
);

proves('RUN-11', 'calls may overlap and do not disturb each other', async (open) => {
  const door = open();
  const texts = await Promise.all(
    [1, 2, 3, 4].map(
      async (n) => (await door.call({ command: `echo ${n}; sleep 0.0${n}; echo ${n}` })).run.output.text,
    ),
  );
  expect(texts).toEqual([1, 2, 3, 4].map((n) => `${n}\n${n}\n`));
});

proves('END-1', 'ending a run reaches those who left its group', async (open) => {
  const door = open();
  const marks = join(door.place, 'pids');
  const command = `trap '' TERM; for i in 1 2 3; do setsid bash -c 'echo $$ >>pids; exec sleep 1000' & done; until [ "$(wc -l <pids 2>/dev/null)" = 3 ]; do sleep 0.01; done; sleep 1000`;
  const { run } = await door.call({ command, timeout: 2 });
  expect(run).toMatchObject({ status: 'timed_out', timedOut: true });
  expect(run.survivors ?? []).toEqual([]);
  await eventually(() =>
    expect(readFileSync(marks, 'utf8').trim().split('\n').map(Number).filter(isAlive)).toEqual([]),
  );
});

proves(
  'END-2',
  'a command may clean up when its time is over, and no longer than its grace',
  async (open) => {
    const door = open({ inherited: { NACRE_GRACE_MS: '300' } });
    const cleans = "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do read -t 0.05 <> <(:); done";
    const { run } = await door.call({ command: cleans, timeout: 1 });
    expect(run).toMatchObject({ status: 'timed_out', output: { text: 'ready\ncleaned\n' } });
    const refuses = "trap 'echo no' TERM; echo ready; while :; do read -t 0.05 <> <(:); done";
    const stubborn = await door.call({ command: refuses, timeout: 1 });
    expect(stubborn.run).toMatchObject({ status: 'timed_out', output: { text: 'ready\nno\n' } });
    expect(stubborn.run.survivors ?? []).toEqual([]);
  },
);

proves('END-3', 'what was printed before a time limit is there, with one notice', async (open) => {
  const { content, isError, details, run } = await open().call({
    command: 'echo partial; sleep 1000',
    timeout: 1,
  });
  expect([isError, details.timedOut, run.status]).toEqual([true, true, 'timed_out']);
  const text = content[0]?.text ?? '';
  expect(text).toContain('partial');
  expect(text.match(/timed out/g)).toHaveLength(1);
  expect(text).toContain('Command timed out after 1 seconds');
});

proves('END-3', 'an exit code of 137 is not a death by KILL', async (open) => {
  const door = open();
  expect((await door.call({ command: 'exit 137' })).run).toMatchObject({
    status: 'exited',
    exitCode: 137,
    signal: null,
  });
  expect((await door.call({ command: 'kill -9 $$' })).run).toMatchObject({
    status: 'signaled',
    signal: 'SIGKILL',
  });
});

proves('END-4', 'a limit that was clamped is said', async (open) => {
  const { details, content, run } = await open().call({ command: 'true', timeout: 99_999 });
  expect(details).toMatchObject({ timeoutSeconds: 3600, requestedTimeoutSeconds: 99_999 });
  expect(`${content[0]?.text} ${run.notes.join()}`).toContain('Timeout clamped to 3600s');
});
