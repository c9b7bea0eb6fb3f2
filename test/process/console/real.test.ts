import { expect, test } from 'vitest';
import { consoleOnTerminal } from '../../helpers/console-on-terminal.ts';

const PICTURE = '\x1b[?2026h';

test('keys are answered while output floods: one of the next pictures has them', async () => {
  const { type, shows, written } = await consoleOnTerminal();
  await shows('/help');
  await type('yes a flood of text\r');
  await shows(/a flood of text\n[\s\S]*running/);
  for (const word of ['one', 'two', 'three', 'four', 'five']) {
    const before = written().length;
    await type(word);
    await shows(`❯ ${word}`);
    const until = written().slice(before, written().indexOf(word, before));
    // What was on its way already, and the one that has it: not a queue of them.
    expect(until.split(PICTURE).length - 1).toBeLessThan(10);
    await type('\x15');
    await shows(/❯ *\n/);
  }
  await type('\x1b');
  await shows('cancelled');
});

test('a terminal that tells keys apart is asked to, and one that answers light gets dark letters', async () => {
  const { type, shows, written } = await consoleOnTerminal();
  await shows('/help');
  expect(written()).toContain('\x1b[?u');
  expect(written()).not.toContain('\x1b[>1u');
  await type('\x1b[?0u\x1b]11;rgb:ffff/ffff/ffff\x1b\\');
  await type('x');
  await shows('❯ x');
  expect(written()).toContain('\x1b[>1u');
  expect(written()).toContain('\x1b[48;5;253');
  // As such a terminal sends them: ctrl-u, ctrl-c, shift-enter.
  await type('\x1b[117;5u');
  await type('one\x1b[13;2utwo');
  await shows(/❯ one\n {3}two/);
});

test('a program in the overlay gets keys as it asked, and our own terminal is asked for the same', async () => {
  const { type, shows, written } = await consoleOnTerminal();
  await shows('/help');
  await type('\x1b[?0u');
  await type(
    String.raw`/pty stty raw -echo; printf '\e[>3u'; printf ready; dd bs=1 count=24 2>/dev/null | od -An -c | tr -d ' \n'; stty sane; printf '\e[<u'` +
      '\r',
  );
  await shows(/ready/);
  await expect.poll(written, { timeout: 20_000 }).toContain('\x1b[=3;1u');
  await type('a\x1b[97;1:3u\x1b[99;5u\x1b[A\r\x1b[13;5u');
  await shows('a033[97;1:3u033[99;5u033[A\\r033[1');
  await expect.poll(written, { timeout: 20_000 }).toContain('\x1b[=1;1u');
});
