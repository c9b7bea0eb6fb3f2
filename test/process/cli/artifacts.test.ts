import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

let env: NodeJS.ProcessEnv;
beforeEach(() => {
  env = nacreEnv(temporaryDirectory());
});

const nacre = (...args: string[]) => runNacre(args, { env });

/** Runs a command and gives back the id of its run. */
async function ran(command: string, ...more: string[]): Promise<string> {
  return JSON.parse((await nacre('run', '--json', ...more, command)).stdout).run.runId;
}

describe('nacre artifacts', () => {
  test('runs are listed newest first, and those of another session can be left out', async () => {
    const first = await ran('echo one');
    const second = await ran('echo two; exit 3', '--session', 'other');
    const { stdout } = await nacre('artifacts');
    expect(stdout).toMatch(
      new RegExp(`^ID +EXIT +SIZE +AGE +COMMAND\n${second} +3 +4B .* echo two; exit 3\n${first} +0 `),
    );
    const listed = JSON.parse((await nacre('artifacts', 'list', '--session', 'other', '--json')).stdout);
    expect(listed).toMatchObject([{ id: second, session: 'other', exitCode: 3, outBytes: 4 }]);
    expect((await nacre('artifacts', '--last', '1')).stdout).not.toContain(first);
  });

  test('an output is shown as it was, also when it is large or no text', async () => {
    const id = await ran(`head -c 2500000 /dev/zero; printf '\\377'`);
    const { stdout, stderr } = await nacre('artifacts', 'show', id);
    expect(stdout.length).toBe(2_500_001);
    expect(stdout.endsWith('\0\xff')).toBe(true);
    expect(stderr).toBe('');
    expect(await nacre('artifacts', 'show', id, '--bytes', '2500000-')).toMatchObject({ stdout: '\0\xff' });
  });

  test('stderr that was kept apart has a name of its own', async () => {
    const id = await ran('echo out; echo err >&2', '--profile', 'simple');
    expect(await nacre('artifacts', 'show', id)).toMatchObject({ stdout: 'out\n' });
    expect(await nacre('artifacts', id, '--tail', '1')).toMatchObject({ status: 0, stdout: 'out\n' });
    expect(await nacre('artifacts', `${id}/err`)).toMatchObject({ status: 0, stdout: 'err\n' });
    expect(await nacre('artifacts', 'show', `artifact://${id}/err`)).toMatchObject({ stdout: 'err\n' });
  });

  test('parts are shown by lines, from the start and from the end', async () => {
    const id = await ran('seq 1 100');
    expect(await nacre('artifacts', 'show', id, '--lines', '10-12')).toMatchObject({
      stdout: '10\n11\n12\n',
    });
    expect(await nacre('artifacts', 'show', id, '--head', '2')).toMatchObject({ stdout: '1\n2\n' });
    expect(await nacre('artifacts', 'show', id, '--tail', '2')).toMatchObject({ stdout: '99\n100\n' });
    expect(JSON.parse((await nacre('artifacts', 'show', id, '--tail', '1', '--json')).stdout)).toMatchObject({
      text: '100\n',
      lines: [{ from: 100, to: 100 }],
    });
  });

  test('a search finds lines with their numbers, and nothing is status 1', async () => {
    const id = await ran('seq 1 30');
    expect(await nacre('artifacts', 'search', id, '29')).toMatchObject({ status: 0, stdout: '29:29\n' });
    expect(await nacre('artifacts', 'search', id, '^2.$', '--regex', '--limit', '1')).toMatchObject({
      stdout: '20:20\n',
    });
    expect(await nacre('artifacts', 'search', id, '15', '--context', '1')).toMatchObject({
      stdout: '14-14\n15:15\n16-16\n',
    });
    expect(await nacre('artifacts', 'search', id, 'nothing')).toMatchObject({ status: 1, stdout: '' });
  });

  test('the file of an output is named, and a run can be forgotten', async () => {
    const id = await ran('echo one');
    const { stdout } = await nacre('artifacts', 'path', id);
    expect(readFileSync(stdout.trim(), 'utf8')).toBe('one\n');
    expect(await nacre('artifacts', 'rm', id)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await nacre('artifacts', 'show', id)).toMatchObject({ status: 1, stdout: '' });
    expect(await nacre('artifacts')).toMatchObject({ status: 0, stdout: '' });
  });

  test('a sweep forgets what the settings say is too much', async () => {
    await ran('echo one');
    expect((await nacre('artifacts', 'sweep')).stdout).toMatch(/^0 runs removed \(0B\), 1 kept /);
    env = { ...env, NACRE_STORAGE_MAX_TOTAL_BYTES: '0' };
    expect(JSON.parse((await nacre('artifacts', 'sweep', '--json')).stdout)).toMatchObject({
      removed: 1,
      kept: 0,
    });
  });

  test.each([
    [['show'], 'artifacts show takes one id.'],
    [['search', 'x'], 'artifacts search takes an id and a text.'],
    [['list', 'x'], 'artifacts list takes no arguments.'],
    [['list', '--tail', '3'], '--tail is not for artifacts list.'],
    [['look'], 'artifacts takes list, show, search, path, rm, sweep, got "look".'],
    [['show', 'x', '--lines', 'a'], '--lines takes a range such as 10-20, 10- or 10, got "a".'],
  ])('artifacts %j is bad usage, and says so', async (args, message) => {
    const { status, stderr } = await nacre('artifacts', ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
