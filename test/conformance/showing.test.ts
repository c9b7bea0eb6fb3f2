import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type DoorCall, proves, provesToModels } from './doors.ts';

const text = (result: { readonly content: readonly { readonly text: string }[] }): string =>
  result.content[0]?.text ?? '';

proves('OUT-1', 'escape sequences, redraws and carriage returns are gone from the view', async (open) => {
  const { run } = await open().call({
    command: `printf '\\033[1mbold\\033[0m\\r\\n10%%\\r50%%\\r100%%\\nbad:\\xff\\n'`,
  });
  expect(run.output.text).toBe('bold\n100%\nbad:\ufffd\n');
});

proves('OUT-1', 'binary output is described, not shown', async (open) => {
  const result = await open().call({ command: 'head -c 5000 /bin/bash' });
  expect(text(result)).toMatch(/binary/i);
  expect(text(result)).not.toContain('\u0000');
});

proves('OUT-2', 'what fits is shown whole, with no footer', async (open) => {
  expect(text(await open().call({ command: 'seq 1 1000' }))).toBe(
    `${Array.from({ length: 1000 }, (_, n) => n + 1).join('\n')}\n`,
  );
});

proves(
  'OUT-2',
  'what does not fit is cut once, and the line that tells why survives with its number',
  async (open) => {
    const result = await open().call({
      command: 'seq 1 30000; echo "src/app.ts(3,5): error TS2322: wrong"; seq 30001 60000; exit 2',
    });
    expect(Buffer.byteLength(result.run.output.text)).toBeLessThanOrEqual(50 * 1024 + 200);
    expect(result.run.output.text).toMatch(/30001.*src\/app\.ts\(3,5\): error TS2322: wrong/);
    expect(result.run.output.totalLines).toBe(60_001);
    expect(result.details.meta).toMatchObject({
      truncation: { totalLines: 60_001, artifactId: result.run.runId },
    });
    expect(text(result).split(String(result.run.artifact)).length).toBe(2);
    expect(text(result).trimEnd().split('\n').at(-1)).toBe('Command exited with code 2');
  },
);

proves('OUT-3', '`modes` shows both ends as its seed has it', async (open) => {
  const result = await open({ profile: 'modes' }).call({ command: 'head -c 204800 /dev/zero | tr "\\0" x' });
  const end = 'x'.repeat(4096);
  expect(text(result)).toBe(
    `[output truncated in middle: got 200.0KB, max is 128.0KB]\n${end}\n\n[snip]\n\n${end}`,
  );
});

proves('OUT-3', '`simple` shows its streams apart', async (open) => {
  const result = await open({ profile: 'simple' }).call({ command: 'echo out; echo err >&2; exit 4' });
  expect(JSON.parse(text(result))).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 4 });
});

proves('OUT-7', 'empty output is said to be empty', async (open) => {
  expect(text(await open().call({ command: 'true' }))).toBe('(no output)');
});

proves('OUT-6', 'the dull lines of a noisy command become counts, unless the call says raw', async (open) => {
  const door = open();
  const file = join(door.place, 'npm');
  const script =
    'for ((i = 0; i < 3000; i++)); do echo "npm http fetch GET 200 pkg-$i 12ms (cache hit)"; done; echo "added 3 packages in 2s"';
  writeFileSync(file, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  const call = { command: 'npm install', env: { PATH: `${door.place}:${process.env.PATH}` } };
  const condensed = await door.call(call);
  expect(text(condensed)).toContain('added 3 packages in 2s');
  expect(text(condensed)).toContain(`[raw output: ${condensed.run.artifact}]`);
  const whole = await door.call({ ...call, raw: true });
  expect(text(whole)).not.toContain('[raw output:');
  expect(text(condensed).length).toBeLessThan(text(whole).length / 4);
});

provesToModels('PRO-4', 'a field may be null, and one that is not there is named', async (open) => {
  const door = open();
  const nothing = { cwd: null, env: null, timeout: null, head: null } as unknown as DoorCall;
  expect((await door.call({ ...nothing, command: 'echo ran' })).run.output.text).toBe('ran\n');
  const { error } = await door.call({ command: 'true', nonsense: 1 } as DoorCall);
  expect(error).toMatchObject({ id: 'bad_input', message: expect.stringContaining('nonsense') });
});

proves('PRO-3', 'a blank command is refused in every profile', async (open) => {
  for (const profile of ['agent', 'modes', 'simple'] as const) {
    const { isError, error, run } = await open({ profile }).call({ command: '  ' });
    expect([isError, error?.id, run.status]).toEqual([true, 'bad_input', 'refused']);
  }
});

proves('PRO-5', 'a command that failed is not an error of the tool', async (open) => {
  const { error, isError, run } = await open().call({ command: 'exit 3' });
  expect([error, isError, run.status, run.exitCode]).toEqual([undefined, true, 'exited', 3]);
});

proves('SEC-1', 'secrets are withheld, and masked where they appear all the same', async (open) => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  const door = open({ inherited: { GITHUB_TOKEN: secret } });
  const { run } = await door.call({ command: `echo "[\${GITHUB_TOKEN-withheld}]"; echo ${secret}` });
  expect(run.output.text).toBe('[withheld]\n[redacted]\n');
});

proves('ENV-1', 'prompts, pagers and editors are disarmed', async (open) => {
  const { run } = await open().call({
    command:
      'echo $PAGER $GIT_PAGER $GIT_EDITOR $GIT_TERMINAL_PROMPT $TERM $NO_COLOR $NACRE; [ -n "$NACRE_RUN_ID" ] && echo marked',
  });
  expect(run.output.text).toBe('cat cat true 0 dumb 1 1\nmarked\n');
});

proves('JOB-1', 'a job is started and the call returns at once', async (open) => {
  const result = await open().call({ command: 'sleep 1000', async: true });
  expect(result.run).toMatchObject({ status: 'running', job: { id: result.run.runId, state: 'running' } });
  expect(text(result)).toContain(`Background job ${result.run.runId} started: sleep 1000`);
  expect(result.details.async).toEqual({ state: 'running', jobId: result.run.runId, type: 'bash' });
  process.kill(-Number(result.run.job?.pgid), 'SIGKILL');
});
