import { type Command, defineCommand } from '../args/command.ts';
import { usageError } from '../args/flag.ts';
import { renderCompletion, SHELLS } from '../args/render-completion.ts';
import { print } from '../print.ts';

export const command: Command = defineCommand({
  usage: 'completion <bash|zsh|fish>',
  summary: 'Print a completion script for your shell',
  flags: {},
  verbs: {
    bash: 'For bash',
    zsh: 'For zsh',
    fish: 'For fish',
  },
  examples: [
    'eval "$(nacre completion bash)"',
    'nacre completion zsh > "${fpath[1]}/_nacre"',
    'nacre completion fish | source',
  ],
  act: async ({ words }, commands) => {
    const shell = SHELLS.find((name) => name === words[0]);
    if (shell === undefined || words.length > 1)
      throw usageError(`completion takes ${SHELLS.join(', ')}: one of them.`);
    const loaded = commands.map(async ({ name, load }) => [name, (await load()).command] as const);
    print(renderCompletion(shell, await Promise.all(loaded)));
    return 0;
  },
});
