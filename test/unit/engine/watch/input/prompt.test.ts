import { expect, test } from 'vitest';
import { looksLikePrompt } from '../../../../../src/engine/watch/prompt-line.ts';

test.each([
  'Name: ',
  'Name:',
  'What is your name? ',
  'Continue? [Y/n] ',
  'Continue? [Y/n]\n',
  'Is this OK? (yes)  ',
  'Overwrite (y/N)?',
  'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
  '[sudo] password for ann: ',
  'Password:\n',
  "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
  'Press any key to continue . . .',
  'Press ENTER to continue\n',
  '>>> ',
  '... ',
  '> ',
  'mysql> ',
  'postgres=# ',
  'irb(main):001:0> ',
  'In [1]: ',
  'ann@host:~$ ',
  '$ ',
  '--More--',
  'lines 1-23/23 (END)',
])('somebody is asked: %j', (line) => {
  expect(looksLikePrompt(line)).toBe(true);
});

test.each([
  '',
  '\n',
  'Listening on http://127.0.0.1:3000',
  'Listening on http://127.0.0.1:3000\n',
  'Compiling nacre v0.1.0',
  'Errors:\n',
  'Did that work?\n',
  ' 45% |#####     |',
  '100%',
  '12:30:45 INFO started',
  'error: no such file',
  'a -> b -> c',
  'total 5 > 3 and so on',
  '</html>\n',
  'password accepted, going on with the rest of it: ok\n',
  '  ➜  press h to show help\n',
])('nobody is asked: %j', (line) => {
  expect(looksLikePrompt(line)).toBe(false);
});
