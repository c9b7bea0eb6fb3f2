import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { RunStore } from '../../src/engine/run/run-store.ts';
import { stopRun } from '../../src/engine/run/stop-run.ts';
import { type HostName, isSkipped, type Open, useHost, whyNot } from './bench.ts';

const FOREVER = 'while :; do sleep 1000; done';

/** The guarantees of every host, as tests. */
export function proveHost(name: HostName, open?: Open): void {
  const reason = whyNot(name);
  describe.skipIf(isSkipped(name))(`${name}${reason === null ? '' : ` (${reason})`}`, () => {
    const { host, start, startReady, ask, workspace, state } = useHost(name, {}, open);

    test('output comes in the order in which it was written, from both streams', async () => {
      const text = await ask('for i in {1..200}; do echo out $i; echo err $i >&2; done');
      const lines = Array.from({ length: 200 }, (_, i) => `out ${i + 1}\nerr ${i + 1}\n`);
      expect(text).toBe(lines.join(''));
    });

    test('streams that are kept apart come apart', async () => {
      const { run, output, errors } = await start('echo out; echo err >&2; printf out2', {
        streams: 'apart',
      });
      await run.ended;
      expect([output().toString(), errors().toString()]).toEqual(['out\nout2', 'err\n']);
    });

    test('every byte arrives as it was written', async () => {
      const { run, output } = await start(
        `for i in {0..255}; do printf "\\\\x$(printf %x $i)"; done; head -c 3000000 /dev/urandom | tee big; echo end`,
      );
      await run.ended;
      const bytes = output();
      expect([...bytes.subarray(0, 256)]).toEqual(Array.from({ length: 256 }, (_, i) => i));
      expect(bytes.length).toBe(256 + 3_000_000 + 4);
      expect(sha(bytes.subarray(256, -4))).toBe((await ask('sha256sum <big')).split(' ')[0]);
    });

    test('what is printed is here while the command runs', async () => {
      const { run, output } = await startReady(`echo ready; ${FOREVER}`);
      expect(output().toString()).toBe('ready\n');
      await run.stop('abort');
    });

    test.each([0, 1, 2, 7, 126, 127, 128, 137, 139, 255])(
      'an exit code of %i is that exit code',
      async (code) => {
        const { run } = await start(`exit ${code}`);
        expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: code });
      },
    );

    test.each([
      ['TERM', 15],
      ['KILL', 9],
      ['ABRT', 6],
      ['USR1', 10],
    ])('a death by %s is that death', async (signal, number) => {
      const { run } = await start(`ulimit -c 0; kill -${signal} $$`);
      expect((await run.ended).ending).toEqual({ kind: 'signaled', signal: `SIG${signal}`, number });
    });

    test('a command that does not parse says so as bash does', async () => {
      const { run, output } = await start('echo "');
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 2 });
      expect(output().toString()).toContain('bash: -c: line 1: unexpected EOF');
    });

    test('directory, variables and the shell are what was asked for', async () => {
      const odd = `a'b"c $HOME \`x\` \\ é\nline two `;
      const text = await ask(`pwd; printf '%s|' "$ODD" "$0" "$#" "$-"; echo $NACRE_RUN_ID`, {
        cwd: '/usr/share',
        env: { ODD: odd },
      });
      expect(text).toMatch(/^\/usr\/share\n/);
      expect(text).toContain(`${odd}|bash|0|hBc|`);
      expect(text).toMatch(/\|[0-9a-z]{14,16}\n$/);
    });

    test('the input is empty, or the text that was given', async () => {
      expect(await ask('cat; echo "<$?>"')).toBe('<0>\n');
      const text = 'línea\n'.repeat(30_000);
      const given = await ask('sha256sum', { input: { kind: 'text', text } });
      expect(given).toContain(sha(Buffer.from(text)));
    });

    test('an input that was left open takes what is sent, and ends when told', async () => {
      const { run, output } = await startReady('echo ready; read -r a; echo "got $a"; cat', {
        input: { kind: 'open' },
      });
      await run.send('first\n');
      await vi.waitFor(() => expect(output().toString()).toContain('got first'), { timeout: 20_000 });
      await run.send('rest');
      await run.endInput();
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 0 });
      expect(output().toString()).toBe('ready\ngot first\nrest');
    });

    test('an input that nobody ends does not keep a command that is over', async () => {
      const { run, output } = await start('read -r a; echo "$a"; exit 3', { input: { kind: 'open' } });
      await run.send('line\n');
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 3 });
      expect(output().toString()).toBe('line\n');
    });

    test('what the caller has as its own input goes along, byte by byte', async () => {
      const bytes = randomBytes(2_000_000);
      const file = join(state, 'input');
      writeFileSync(file, bytes);
      const fd = openSync(file, 'r');
      const text = await ask('sha256sum', { input: { kind: 'descriptor', fd } });
      closeSync(fd);
      expect(text).toContain(sha(bytes));
    });

    test('a command too long for an argument runs', async () => {
      expect(await ask(`: ${'x'.repeat(200_000)}; echo ran`)).toBe('ran\n');
    });

    test('the statuses of a last pipeline are told', async () => {
      const { run } = await start('false | (exit 3) | true', { pipeStatus: true });
      expect((await run.ended).pipeStatus).toEqual([1, 3, 0]);
    });

    test('what a shell writes down of itself before and after its command comes along', async () => {
      const isShared = host().sharesFiles === true;
      const mark = isShared ? join(state, 'shell') : '@mark@';
      const { run } = await start('value=2; exit 3', {
        preamble: `value=1; printf 'value %s\\0' "$value" >${mark}.before`,
        atExit: `{ printf 'value %s\\0\\377' "$value"; printf '%0100000d'; } >${mark}.after`,
        ...(isShared ? {} : { shellMark: mark }),
      });
      const { ending, shell } = await run.ended;
      expect(ending).toEqual({ kind: 'exited', exitCode: 3 });
      const seen = isShared
        ? ['before', 'after'].map((name) => readFileSync(`${mark}.${name}`, 'latin1'))
        : [];
      expect(shell?.before ?? seen[0]).toBe('value 1\0');
      expect(shell?.after ?? seen[1]).toBe(`value 2\0\xff${'0'.repeat(100_000)}`);
    });

    test('a time limit ends the command, and what it printed stays', async () => {
      const { run, output } = await start(`echo before; ${FOREVER}`, { timeoutMs: 1500 });
      expect((await run.ended).ending).toMatchObject({ kind: 'stopped', reason: 'timeout' });
      expect(output().toString()).toBe('before\n');
    });

    test('a command that ignores TERM is killed when its grace is over', async () => {
      const { run } = await startReady(`trap '' TERM; echo ready; ${FOREVER}`);
      await run.stop('abort', 100);
      expect((await run.ended).ending).toEqual({ kind: 'stopped', reason: 'abort', forced: true });
    });

    test('exactly the signal that was asked for reaches the command', async () => {
      const { run, output } = await startReady(
        `trap 'echo heard; exit 5' INT; echo ready; exec {fd}<> <(:); while :; do read -t 1 -u $fd; done`,
      );
      run.signal('SIGINT');
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 5 });
      expect(output().toString()).toBe('ready\nheard\n');
    });

    test.each([
      ['a child', 'sleep 1234 & echo $! >pid'],
      ['a child in a session of its own', "setsid bash -c 'echo $$ >pid; exec sleep 1234' &"],
      [
        'a daemon that forked twice and closed everything',
        "(setsid bash -c 'echo $$ >pid; exec sleep 1234' </dev/null >/dev/null 2>&1 &)",
      ],
    ])('%s ends with the command', async (_, escapee) => {
      const { run } = await startReady(
        `: >pid; ${escapee}\nuntil [[ -s pid ]]; do sleep 0.01; done; echo ready; ${FOREVER}`,
      );
      await run.stop('abort', 200);
      // A remote host may report the end after the stop returns: processes that are still alive are then
      // listed.
      if (name === 'local' || name === 'sandbox') expect((await run.ended).survivors).toEqual([]);
      const look = '[[ $(ps -o stat= -p "$(<pid)") == [^Z]* ]] && echo alive || echo gone';
      await expect.poll(() => ask(look), { timeout: 30_000 }).toBe('gone\n');
    });

    // Not skipped: Slurm gives another guarantee instead.
    if (name === 'slurm') {
      test('what stays behind is ended with its job, and named', async () => {
        const long = `sleep ${100_000 + Math.floor(Math.random() * 800_000)}`;
        const { run } = await start(`${long} & until grep -q sleep /proc/$!/comm; do :; done; echo done`);
        const { ending, leftovers, notes } = await run.ended;
        expect([ending, leftovers]).toEqual([{ kind: 'exited', exitCode: 0 }, []]);
        expect(notes.join()).toContain(`ended with its job: ${long}`);
      });
    } else {
      test('what stays behind is named, goes on, and can be ended', async () => {
        // A random number, because other suites leave a sleep behind at the same time. The process is a sleep
        // once it has this name.
        const long = `sleep ${100_000 + Math.floor(Math.random() * 800_000)}`;
        const { run } = await start(`${long} & until grep -q sleep /proc/$!/comm; do :; done; echo done`);
        const { ending, leftovers } = await run.ended;
        expect(ending).toEqual({ kind: 'exited', exitCode: 0 });
        expect(leftovers.map(({ command }) => command)).toEqual([long]);
        expect(await ask(`pgrep -fx "${long}" >/dev/null && echo alive`)).toBe('alive\n');
        const stored = new RunStore(state).find(run.id);
        if (stored === null) throw new Error('its directory is gone');
        expect(await stopRun(stored, { graceMs: 2000 })).toEqual([]);
        await expect
          .poll(() => ask(`pgrep -fx "${long}" >/dev/null && echo alive || echo gone`), { timeout: 20_000 })
          .toBe('gone\n');
      });
    }

    test('runs side by side do not meet', async () => {
      const runs = Array.from({ length: 8 }, (_, i) =>
        ask(`for n in {1..50}; do echo ${i}; done; sleep 0.2; echo end ${i}`),
      );
      const texts = await Promise.all(runs);
      expect(texts).toEqual(texts.map((_, i) => `${`${i}\n`.repeat(50)}end ${i}\n`));
    });

    test('a run that nobody waits for any more goes on, and its end is on record', async () => {
      const { run } = await startReady(
        `echo ready; until [[ -e go ]]; do sleep 0.05; done; echo later; exit 4`,
      );
      run.release();
      await ask('touch go');
      expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 4 });
      const stored = new RunStore(state).find(run.id);
      expect(stored?.state).toMatchObject({ kind: 'ended', ending: { kind: 'exited', exitCode: 4 } });
      expect(readFileSync(join(run.directory, 'out'), 'utf8')).toBe('ready\nlater\n');
    });

    test('a directory that is not there is not entered', async () => {
      const started = start('pwd', { cwd: join(workspace, 'missing') });
      const outcome = await started.then(
        async ({ run }) => (await run.ended).ending,
        (error: { code: string }) => error.code,
      );
      expect([
        { kind: 'lost', why: 'the working directory could not be entered' },
        'cwd_missing',
      ]).toContainEqual(outcome);
      expect(existsSync(join(workspace, 'missing'))).toBe(false);
    });
  });
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
