import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { defineCommand } from '../../../src/surfaces/cli/command.ts';
import { type NamedCommands, renderCompletion } from '../../../src/surfaces/cli/commands/completion.ts';
import { choiceFlag, switchFlag, textFlag, variablesFlag } from '../../../src/surfaces/cli/flags.ts';

const nothing = async (): Promise<number> => 0;
const COMMANDS: NamedCommands = [
  [
    'run',
    defineCommand({
      usage: 'run',
      summary: "Run it; don't wait [yet]",
      flags: {
        json: switchFlag('Print: JSON'),
        profile: choiceFlag('<name>', ['agent', 'simple'], 'Use it'),
        cwd: { ...textFlag('<dir>', 'There'), short: 'C' },
        env: variablesFlag('Set one'),
      },
      examples: [],
      act: nothing,
    }),
  ],
  [
    'jobs',
    defineCommand({
      usage: 'jobs',
      summary: 'Jobs',
      flags: {},
      verbs: { list: 'All', kill: 'End one' },
      examples: [],
      act: nothing,
    }),
  ],
];

/** What bash offers for these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const script = `${renderCompletion('bash', COMMANDS)}
    COMP_WORDS=(nacre "$@"); COMP_CWORD=$#; _nacre; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  return printed.split('\n').filter((line) => line !== '');
}

test('bash offers commands first, then the options and actions of the command', () => {
  expect(offered('')).toEqual(['run', 'jobs', '--help', '--version']);
  expect(offered('r')).toEqual(['run']);
  expect(offered('run', '--')).toEqual(['--json', '--profile', '--cwd', '--env', '--help']);
  expect(offered('jobs', '')).toEqual(['list', 'kill', '--help']);
  expect(offered('jobs', 'k')).toEqual(['kill']);
});

test('bash offers the words an option takes', () => {
  expect(offered('run', '--profile', '')).toEqual(['agent', 'simple']);
  expect(offered('run', '--cwd', '/us')).toContain('/usr');
  expect(offered('run', '-C', '/us')).toContain('/usr');
});

function has(program: string): boolean {
  try {
    execFileSync(program, ['-c', ':']);
    return true;
  } catch {
    return false;
  }
}

test.each(['zsh', 'fish'] as const)('the script for %s names every command and option', (shell) => {
  const script = renderCompletion(shell, COMMANDS);
  for (const word of ['run', 'jobs', 'json', 'profile', 'cwd', 'env', 'list', 'kill', 'agent simple']) {
    expect(script).toContain(word);
  }
  if (has(shell)) execFileSync(shell, ['-n'], { input: script });
});
