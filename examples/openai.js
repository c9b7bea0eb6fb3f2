/** OpenAI's own shell tool, answered here: commands one after the other, streams apart. */
import { createBash } from 'nacre';
import { answer, SHELL_TOOL } from 'nacre/openai';

const bash = createBash();
console.log(JSON.stringify(SHELL_TOOL));

// An item of `response.output`, and the item that goes into the next request's `input`.
const item = {
  type: 'shell_call',
  call_id: 'call_1',
  action: { commands: ['echo out; echo err >&2', 'exit 3'] },
};
console.log(JSON.stringify(await answer(bash, item)));

await bash.close();
