import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bash, type BashOptions, type CallResult, createBash } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped } from './bench.ts';
import { type Sshd, startSshd } from './sshd.ts';

/** A session on a host that does not share files: its shell state is transferred. */
describe.each(['sandbox', 'ssh'] as const)('the shell of a session on %s', (name) => {
  const isLeftOut = isSkipped(name);
  const open: Bash[] = [];
  let sshd: Sshd | undefined;
  beforeAll(async () => {
    if (name === 'ssh' && !isLeftOut) sshd = await startSshd();
  });
  afterAll(async () => {
    await Promise.all(open.map((bash) => bash.close()));
    sshd?.stop();
  });

  const session = (more: BashOptions = {}) => {
    const cwd = temporaryDirectory();
    const box = sshd === undefined ? {} : { box: { ...sshd.box, directory: cwd } };
    const bash = createBash({
      ...{ cwd, hosts: box, host: name === 'ssh' ? 'box' : name, stateDirectory: temporaryDirectory() },
      ...more,
    });
    open.push(bash);
    const say = async (command: string, input: object = {}): Promise<CallResult['run']> =>
      (await bash.call({ command, ...input })).run;
    return { bash, cwd, say, text: async (command: string) => (await say(command)).output.text };
  };
  const it = test.skipIf(isLeftOut);

  it('is there in the next call: directory, variables, functions, aliases, options, umask', async () => {
    const { say, text, cwd } = session();
    const made = await say(
      `mkdir sub; cd sub; plain='a "b" $c'; export list=(); declare -A map=([k]=v); greet() { echo "hello $1"; }; alias hi='greet you'; shopt -s nullglob; umask 027; exit 5`,
    );
    expect([made.exitCode, made.stateReset, made.notes]).toEqual([5, undefined, []]);
    expect(
      await text('pwd; echo "$plain ${map[k]}"; greet me; hi; echo no*match; umask; echo "$OLDPWD"'),
    ).toBe(`${cwd}/sub\na "b" $c v\nhello me\nhello you\n\n0027\n${cwd}\n`);
  });

  it('is what it was before, and says so, when a command did not end by itself', async () => {
    const { say, text } = session();
    await say('value=kept');
    const ended = await say('value=lost; echo $$; sleep 600', { timeout: 1 });
    expect([ended.status, ended.stateReset]).toEqual(['timed_out', 'timed_out']);
    const replaced = await say('value=lost; exec true');
    expect(replaced.stateReset).toBe('replaced');
    expect(await text('echo $value')).toBe('kept\n');
  });

  it('holds bytes that are no text, and a call has its own variables', async () => {
    const { say, text } = session();
    await say(`odd=$'\\377\\001'; shown=session; say() { printf é; }`);
    expect(await text('printf %s "$odd" | od -An -tx1; say')).toBe(' ff 01\né');
    await say(`eval "$(printf 'raw() { printf %%s "\\376 it'\\''s"; }')"`);
    expect(await text('raw | od -An -tx1; say')).toBe(' fe 20 69 74 27 73\né');
    expect((await say('echo $shown; shown=changed', { env: { shown: 'call' } })).output.text).toBe('call\n');
    expect(await text('echo $shown')).toBe('session\n');
  });

  it('goes back to where it began when its directory is gone', async () => {
    const { bash, say, text, cwd } = session();
    await say('mkdir gone; cd gone');
    await say('rmdir ../gone');
    const { error } = await bash.call({ command: 'pwd' });
    expect(error?.id).toBe('session_cwd_missing');
    expect(await text('pwd')).toBe(`${cwd}\n`);
    const missing = await bash.call({ command: 'pwd', cwd: '/surely/not/there' });
    expect(missing.error?.id).toBe('cwd_missing');
  });

  it('is copied for calls at once, of which one changes it', async () => {
    const { say, text } = session();
    await say('value=first');
    const both = await Promise.all(['second', 'third'].map((value) => say(`sleep 0.3; value=${value}`)));
    expect(both.map(({ stateReset }) => stateReset).sort()).toEqual(['overlapped', undefined]);
    expect(await text('echo $value')).toMatch(/^(?:second|third)\n$/);
  });

  it('is another one on another host', async () => {
    const stateDirectory = temporaryDirectory();
    const { say, text } = session({ stateDirectory, session: 'one' });
    await say('value=there; ls() { echo planted; }');
    const here = createBash({ stateDirectory, session: 'one', cwd: temporaryDirectory() });
    open.push(here);
    expect((await here.call({ command: 'echo "<$value>"; ls' })).run.output.text).toBe('<>\n');
    expect(await text('echo $value; ls')).toBe('there\nplanted\n');
  });

  it('goes along with a job, which changes nothing', async () => {
    const { bash, say, text } = session();
    await say('value=1');
    const { run } = await bash.call({ command: 'echo "job $value"; value=2', async: true });
    await bash.job({ action: 'wait', id: run.runId });
    const { content } = await bash.job({ action: 'peek', id: run.runId });
    expect(content[0]?.text).toContain('job 1');
    expect(await text('echo $value')).toBe('1\n');
  });
});

describe('URLs of ours in a command', () => {
  test.skipIf(isSkipped('sandbox'))('stand for files that a sandbox sees, and cannot change', async () => {
    const [cwd, skill, stateDirectory] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(skill, 'SKILL.md'), 'a skill');
    const bash = createBash({ cwd, host: 'sandbox', stateDirectory, urls: { skills: { one: skill } } });
    const say = async (command: string) => (await bash.call({ command })).run;
    const { artifact } = await say('echo kept');
    const read = await say(`cat ${artifact} skill://one/SKILL.md; echo x >local://file; cat local://file`);
    expect(read.output.text).toBe('kept\na skillx\n');
    expect((await say(`echo more >>${artifact}`)).output.text).toContain('Read-only file system');
    expect((await say(`ls ${stateDirectory}/runs`)).exitCode).toBe(2);
    const shown = join(stateDirectory, 'sessions', bash.session, 'shown');
    expect(readdirSync(shown)).toHaveLength(1);
    await bash.close();
    expect(readdirSync(shown)).toEqual([]);
  });

  test.skipIf(isSkipped('ssh'))('are refused where nothing of this machine can be seen', async () => {
    const sshd = await startSshd();
    const bash = createBash({ stateDirectory: temporaryDirectory(), host: 'box', hosts: { box: sshd.box } });
    for (const url of ['artifact://x', 'local://file', 'skill://one/SKILL.md']) {
      const { error } = await bash.call({ command: `cat ${url}` });
      expect(error?.id).toBe('url_unresolved');
      expect(error?.message).toContain('this command runs on box');
    }
    expect(bash.tool.description).not.toContain('local://');
    await bash.close();
    sshd.stop();
  });
});

describe.skipIf(isSkipped('sandbox'))('the shell of a session in a sandbox', () => {
  const open: Bash[] = [];
  afterAll(() => Promise.all(open.map((bash) => bash.close())));

  const inside = () => {
    const cwd = temporaryDirectory();
    const bash = createBash({
      ...{ cwd, host: 'sandbox', stateDirectory: temporaryDirectory(), approve: () => 'once' },
    });
    open.push(bash);
    return { bash };
  };

  test('is not taken along into a wider one: what was planted does not run there', async () => {
    const { bash } = inside();
    await bash.call({ command: 'echo() { builtin echo planted; }; PATH=/nowhere:$PATH' });
    const { run } = await bash.call({
      command: 'echo real; echo "$PATH"; value=1',
      sandbox: { preset: 'workspace+network', reason: 'to try' },
    });
    expect(run.output.text).toMatch(/^real\n(?!\/nowhere)/);
    expect(run.stateReset).toBe('wider');
    const next = await bash.call({ command: 'echo x; builtin echo "<$value>"' });
    expect(next.run.output.text).toBe('planted\n<>\n');
  });

  test('may be in a directory that only the sandbox has', async () => {
    const { bash } = inside();
    const name = `nacre-inside-${process.pid}`;
    await bash.call({ command: `mkdir /tmp/${name}; cd /tmp/${name}; echo hello >file` });
    expect((await bash.call({ command: 'cat file; pwd' })).run.output.text).toBe(`hello\n/tmp/${name}\n`);
    expect(existsSync(`/tmp/${name}`)).toBe(false);
    mkdirSync(`/tmp/${name}-outside`);
    const { error } = await bash.call({ command: 'pwd', cwd: `/tmp/${name}-outside` });
    expect(error?.id).toBe('cwd_missing');
    expect((await bash.call({ command: 'pwd' })).run.output.text).toBe(`/tmp/${name}\n`);
  });

  test.each([
    ['a link to where it then is', 'unlink "$f"; ln -s "$PWD/elsewhere" "$f"; : >elsewhere'],
    ['a pipe', 'unlink "$f"; mkfifo "$f"'],
    ['a directory', 'unlink "$f"; mkdir "$f"'],
    ['more than eight megabytes', 'value=$(head -c 9000000 /dev/zero | tr "\\0" x)'],
  ])('is not read from %s', async (_, put) => {
    const { bash } = inside();
    await bash.call({ command: 'value=first' });
    const { run } = await bash.call({ command: `f=$(ls /run/nacre-shell/*.after); value=planted; ${put}` });
    expect([run.status, run.exitCode, run.stateReset]).toEqual(['exited', 0, 'replaced']);
    expect((await bash.call({ command: 'echo $value' })).run.output.text).toBe('first\n');
  });

  test('a shell inside that is disturbed by another command is not used, and nothing breaks', async () => {
    const { bash } = inside();
    await bash.call({
      command: 'for s in /run/nacre/[0-9]*; do (echo junk >$s/answer) & done; sleep 0.2; kill $(jobs -p); :',
    });
    for (const word of ['one', 'two', 'three'])
      expect((await bash.call({ command: `echo ${word}` })).run.output.text).toBe(`${word}\n`);
  });
});
