import { literalOf, toField } from '../words/atom.ts';
import { parseOptions } from './options.ts';
import { WRAPPERS, type Wrapper } from './wrappers.ts';

/** So many wrappers around each other are looked through. */
const DEEPEST = 8;

/** A command's words without the wrappers around it: of `env A=1 timeout 60 npx vitest run`, `vitest run`. */
export function peel(words: readonly string[]): readonly string[] {
  let peeled = words;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const inner = peelOnce(peeled);
    if (inner === null) return peeled;
    peeled = inner;
  }
  return peeled;
}

function peelOnce([first = '', ...rest]: readonly string[]): readonly string[] | null {
  const wrapper = WRAPPERS.get(first.slice(first.lastIndexOf('/') + 1));
  if (wrapper === undefined || wrapper.joins === true || wrapper.each === true) return null;
  const opened = operandsOf(rest, wrapper);
  if (opened === null) return null;
  const inner = wrapper.verbs === undefined ? opened : afterVerb(opened, wrapper);
  if (inner === null) return null;
  const operands = inner.slice(wrapper.operands ?? 0);
  const start = wrapper.assigns === true ? operands.findIndex((word) => !/^\w+=/.test(word)) : 0;
  const command = start < 0 ? [] : operands.slice(start);
  return command.length === 0 || command[0] === '' ? null : command;
}

function afterVerb([verb = '', ...rest]: readonly string[], wrapper: Wrapper): readonly string[] | null {
  return wrapper.verbs?.includes(verb) === true ? operandsOf(rest, wrapper) : null;
}

/** `null`: it runs no command, or a script. */
function operandsOf(words: readonly string[], wrapper: Wrapper): readonly string[] | null {
  const { short = '', long = [], looksUp = [], scripts = [], splits = [] } = wrapper;
  const { options, operands } = parseOptions(words.map(toField), {
    short,
    long: long.map((name) => `${name}=`),
  });
  const elsewhere = [...looksUp, ...scripts, ...splits];
  if (options.some(({ name }) => elsewhere.includes(name))) return null;
  return operands.map((word) => literalOf(word) ?? '');
}
