import type { Call } from '../state/machine.ts';
import type { ShellFunction } from '../state/state.ts';
import type { Field } from '../words/atom.ts';
import { fieldKey, literalOf, UNKNOWN } from '../words/atom.ts';
import type { Runner } from './runner.ts';

const MAX_CALLS = 64;
// Deeper than this, arguments that keep growing are not told apart any more.
const MAX_GROWING = 6;

/** Calls a function of the script. A call inside the very same call brings nothing new. */
export function runFunction({ node, place }: ShellFunction, call: Call, runner: Runner): void {
  const { frame } = call;
  const name = node.name.value;
  const positional = argumentsOf(call);
  const signature = `${name} ${positional?.map(fieldKey).join('\u0001')}`;
  if (frame.calls.includes(signature)) return;
  if (frame.calls.length >= MAX_CALLS) runner.budget.exceed(`more than ${MAX_CALLS} nested function calls`);
  const state = frame.state.fork();
  state.positional = positional;
  state.locals = new Set();
  runner.run(node.body, {
    ...frame,
    state,
    place,
    calls: [...frame.calls, signature],
    via: [...frame.via, `${name}()`],
  });
  frame.state.absorb(state);
}

function argumentsOf({ argv, frame }: Call): readonly Field[] | null {
  const words = argv.slice(1);
  if (frame.calls.length < MAX_GROWING) return words;
  return words.map((word) => (literalOf(word) === null ? UNKNOWN : word));
}
