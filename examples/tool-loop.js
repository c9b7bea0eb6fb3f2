/** The tool in an agent's loop: what to offer a model, and what to do with what it sends. */
import { createBash } from 'nacre';

const bash = createBash({
  profile: 'modes',
  hooks: {
    before: ({ command }) =>
      String(command).includes('shutdown') ? { refuse: 'Not on this machine.' } : undefined,
  },
});

console.log(bash.tool.name, Object.keys(bash.tool.inputSchema.properties).join(' '));

// Whatever a model sends, there is an answer for it.
for (const input of [{ command: 'uname' }, { comand: 'uname' }, { command: 'shutdown now' }]) {
  const { content, isError, error } = await bash.call(input);
  console.log(isError, error?.id ?? 'ran', content[0]?.text.split('\n')[0]);
}

await bash.close();
