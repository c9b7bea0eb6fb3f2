import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Bash, BashOptions, CallOptions, LiveTerminal } from '../../../src/index.ts';
import { createBash } from '../../../src/index.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

function create(options: BashOptions = {}): Bash {
  const root = temporaryDirectory();
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'state'), ...options });
  onTestFinished(() => bash.close());
  return bash;
}

const until = <T>(look: () => Promise<T> | T): Promise<T> =>
  vi.waitFor(look, { timeout: 20_000, interval: 20 });

/** A caller that can show a terminal. */
function viewer(): { options: CallOptions; terminal: Promise<LiveTerminal>; drawn: () => string } {
  let onStart: (terminal: LiveTerminal) => void = () => undefined;
  const terminal = new Promise<LiveTerminal>((resolve) => {
    onStart = resolve;
  });
  const chunks: Buffer[] = [];
  return {
    terminal,
    drawn: () => Buffer.concat(chunks).toString(),
    options: {
      terminal: { columns: 60, rows: 20, onStart },
      onBytes: (_, chunk) => void chunks.push(Buffer.from(chunk)),
    },
  };
}

test('who can show a terminal gets one of its size, and the result is what a person would have read', async () => {
  const bash = create();
  const { options, terminal, drawn } = viewer();
  const call = bash.call(
    {
      command: String.raw`stty size; printf 'draft\rfinal\n'; read -rp 'name? ' n; printf '\e[31mhello %s\e[0m\n' "$n"`,
      pty: true,
    },
    options,
  );
  const live = await terminal;
  await until(() => expect(drawn()).toContain('name?'));
  await live.send('Ada\r');
  const result = await call;
  expect(result.content[0]?.text).toContain('20 60\nfinal\nname? Ada\nhello Ada');
  expect(result.run).toMatchObject({ status: 'exited', exitCode: 0 });
  const raw = await bash.artifacts.open(result.run.artifact ?? '').bytes({ from: 0, to: 10_000 });
  expect(raw.bytes.toString()).toContain('\x1b[31mhello');
});

test('colours and terminal programs are allowed there, pagers and credentials are not', async () => {
  const { NO_COLOR: _, ...inheritedEnv } = process.env;
  const bash = create({ inheritedEnv });
  const { options } = viewer();
  const { run } = await bash.call(
    { command: 'echo "$TERM|${NO_COLOR-}|$PAGER|$GIT_TERMINAL_PROMPT"', pty: true },
    options,
  );
  expect(run.output.text.trim()).toBe('xterm-256color||cat|0');
});

test.each([
  ['the caller cannot show one', {}, {}, 'the caller cannot show one'],
  [
    'it is switched off',
    { inheritedEnv: { ...process.env, NACRE_NO_PTY: '1' } },
    viewer().options,
    'NACRE_NO_PTY is 1',
  ],
  [
    'it is switched off the other way',
    { inheritedEnv: { ...process.env, PI_NO_PTY: '1' } },
    viewer().options,
    'PI_NO_PTY is 1',
  ],
])('where %s the command runs without, and the result says so', async (_, options, call, why) => {
  const bash = create(options);
  const { run } = await bash.call({ command: '[ -t 1 ] || echo none', pty: true }, call);
  expect(run.output.text.trim()).toBe('none');
  expect(run.notes.join()).toContain(why);
});

test('the setting makes it the rule for those who can show one, and for nobody else', async () => {
  const bash = create({ virtualTerminal: 'on' });
  const shown = await bash.call({ command: '[ -t 1 ] && echo terminal' }, viewer().options);
  expect(shown.run.output.text).toContain('terminal');
  const plain = await bash.call({ command: '[ -t 1 ] || echo none' });
  expect(plain.run).toMatchObject({ output: { text: 'none\n' }, notes: [] });
});

test('a text for standard input and a terminal do not go together', async () => {
  const bash = create();
  const result = await bash.call({ command: 'cat', pty: true, stdin: 'x' });
  expect(result.error).toMatchObject({ id: 'bad_input', message: expect.stringContaining('stdin') });
});

test('a model drives one as a job: it reads the screen, types, and is told when a password is asked for', async () => {
  const bash = create();
  const { run } = await bash.call({
    command:
      'stty size; read -rp "user: " u; read -rsp "password: " p; printf "\\e[2J\\e[Hwelcome %s (%s)\\n" "$u" "${#p}"; read -rn1',
    pty: true,
    async: true,
  });
  const id = run.job?.id ?? '';
  await until(async () => expect((await bash.jobs.peek(id)).text).toBe('24 80\nuser: '));
  await bash.job({ action: 'send', id, text: 'ada', keys: ['enter'] });
  await until(async () => {
    const { details } = await bash.job({ action: 'peek', id });
    expect(details.jobs[0]?.waitingForInput).toMatchObject({ echoOff: true, canSend: true });
  });
  await bash.job({ action: 'send', id, text: 'secret\n' });
  await until(async () => expect((await bash.jobs.peek(id)).text).toBe('welcome ada (6)'));
  const peeked = await bash.jobs.peek(id);
  expect(peeked.notes[0]).toBe('The screen, 80 by 24; the cursor is in row 2, column 1.');
  await bash
    .job({ action: 'send', id, keys: ['no such key'] })
    .then(({ isError }) => expect(isError).toBe(true));
  await bash.job({ action: 'send', id, text: 'q' });
  const waited = await bash.jobs.wait([id]);
  expect(waited.jobs[0]?.job).toMatchObject({ state: 'completed', exitCode: 0 });
});

test('an editor on the terminal: keys in its own mode, the screen it draws, the file it writes', async () => {
  const bash = create();
  const { run } = await bash.call({
    command: 'less -X +G /etc/passwd || true',
    pty: true,
    async: true,
    env: { LESS: '' },
  });
  const id = run.job?.id ?? '';
  await until(async () => expect((await bash.jobs.peek(id)).text).toContain('(END)'));
  await bash.job({ action: 'send', id, keys: ['up', 'home'] });
  await bash.job({ action: 'send', id, text: 'q' });
  expect((await bash.jobs.wait([id])).jobs[0]?.job.state).toBe('completed');
});

test('what a program asks of its terminal is answered while nobody looks', async () => {
  const bash = create();
  const { run } = await bash.call({
    command: String.raw`stty -icanon -echo; printf '\e[6n'; IFS= read -rd R reply; stty sane; printf 'cursor %q\n' "$reply"`,
    pty: true,
    async: true,
  });
  const id = run.job?.id ?? '';
  // A wait could end early: the program waits for input until the answer arrives.
  await until(async () => expect((await bash.jobs.peek(id)).text).toContain('[1;1'));
});

test('a time limit on a terminal is told as everywhere, and what was drawn is there', async () => {
  const bash = create();
  const result = await bash.call(
    { command: 'echo before; sleep 1000', pty: true, timeout: 1 },
    viewer().options,
  );
  expect(result.run).toMatchObject({ status: 'timed_out', timedOut: true });
  expect(result.content[0]?.text).toContain('before');
});

test('one call at a time has the terminal; who gives up while waiting never runs', async () => {
  const bash = create();
  const first = viewer();
  const one = bash.call({ command: 'echo first; read -rn1', pty: true }, first.options);
  const live = await first.terminal;
  await until(() => expect(first.drawn()).toContain('first'));
  const second = viewer();
  const two = bash.call({ command: 'echo second', pty: true }, second.options);
  const gone = new AbortController();
  const three = bash.call(
    { command: 'touch never', pty: true },
    { ...viewer().options, signal: gone.signal },
  );
  const beside = await bash.call({ command: 'echo beside' });
  expect(beside.run.output.text).toBe('beside\n');
  expect(second.drawn()).toBe('');
  gone.abort();
  await expect(three).rejects.toThrow();
  await live.send('x');
  await one;
  expect((await two).run.output.text).toContain('second');
  const { run } = await bash.call({ command: 'ls' });
  expect(run.output.text).not.toContain('never');
});

test('what was not drawn is said: more than an emulator reads in good time, and what scrolled out', async () => {
  const bash = create();
  const long = await bash.call(
    {
      command: "printf '\\e[?1049h'; yes 0123456789 | head -c 6000000; printf '\\e[?1049lend\\n'",
      pty: true,
    },
    viewer().options,
  );
  expect(long.run.notes).toContain(
    'The screen is drawn from the first 64 KB and the last 4 MB of the output.',
  );
  const scrolled = await bash.call({ command: 'seq 1 11000', pty: true }, viewer().options);
  expect(scrolled.run.notes).toContain('Older scrollback is only in the raw output.');
  expect(scrolled.content[0]?.text).toContain('Older scrollback is only in the raw output.');
  expect(scrolled.run.output.text).toContain('11000');
  const short = await bash.call({ command: 'seq 1 100', pty: true }, viewer().options);
  expect(short.run.notes).toEqual([]);
});

test('the result is read at the size the terminal had in the end', async () => {
  const bash = create();
  const { options, terminal, drawn } = viewer();
  const call = bash.call(
    { command: 'echo ready; read -r; printf "%090d\\n" 7; stty size', pty: true },
    options,
  );
  const live = await terminal;
  await until(() => expect(drawn()).toContain('ready'));
  await live.resize({ columns: 100, rows: 30 });
  await live.send('\r');
  const { run } = await call;
  expect(run.output.text).toContain(`${'0'.repeat(89)}7\n30 100`);
});

test('a job gets keys the way its program asked for, also when that was long ago', async () => {
  const bash = create();
  const command = String.raw`stty raw -echo; printf '\e[>1u\e[?1h'; head -c 5000000 /dev/zero | tr '\0' .; printf 'ready'; dd bs=1 count=26 2>/dev/null | od -An -c; stty sane`;
  const { run } = await bash.call({ command, pty: true, async: true });
  const id = run.job?.id ?? '';
  await bash.jobs.wait([id], { pattern: 'ready' });
  await bash.jobs.send(id, { text: 'a', keys: ['escape', 'ctrl-c', 'up', 'alt-x', 'enter', 'q'] });
  await bash.jobs.wait([id]);
  const { text } = await bash.jobs.peek(id, { from: 5_000_000 });
  expect(text.replace(/\s+/g, '')).toContain(String.raw`a033[27u033[99;5u033[A033[120;3u\rq`);
});

test('what a program asks of its terminal is answered in a job, too', async () => {
  const bash = create();
  const command = String.raw`stty raw -echo; printf '\e[6n\e[c\e]11;?\e\\\e[?u'; dd bs=1 count=43 2>/dev/null | od -An -c; stty sane`;
  const { run } = await bash.call({ command, pty: true, async: true, timeout: 30 });
  const id = run.job?.id ?? '';
  await bash.jobs.wait([id]);
  const { text } = await bash.jobs.peek(id);
  expect(text.replace(/\s+/g, '')).toMatch(
    /033\[1;1R033\[\?[\d;]+c033\]11;rgb:0000\/0000\/0000033\\033\[\?0u/,
  );
});

test('a wait shows the screen of a program that has taken all of it', async () => {
  const bash = create();
  const command = String.raw`echo before; printf '\e[?1049h\e[Hmenu\r\n1 one'; read -rsn1; printf '\e[?1049l'; echo after`;
  const { run } = await bash.call({ command, pty: true, async: true });
  const id = run.job?.id ?? '';
  const waited = await bash.job({ action: 'wait', id, pattern: 'one', seconds: 30 });
  expect(waited.content[0]?.text).toContain('menu\n1 one');
  expect(waited.content[0]?.text).toContain('the cursor is in row 2, column 6');
  await bash.job({ action: 'send', id, keys: ['x'] });
  const ended = await bash.job({ action: 'wait', id, seconds: 30 });
  expect(ended.content[0]?.text).toContain('before\nafter');
});
