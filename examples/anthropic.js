/** The tool in a loop of your own, in the form that the Anthropic API has for it. */
import { createBash } from 'nacre';
import { answer, bashTools } from 'nacre/anthropic';

const bash = createBash();

// What goes into the request: name, description and input_schema of `bash` and `job`.
console.log(
  bashTools(bash)
    .map(({ name }) => name)
    .join(' '),
);

// What comes back in a response, and the block that answers it.
const use = { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'echo hello; exit 3' } };
console.log(await answer(bash, use));

await bash.close();
