import type { Frame } from '../state/machine.ts';
import { Output } from '../state/output.ts';
import type { Positional, ShellFunction, State } from '../state/state.ts';
import { unitePositional } from '../state/state.ts';
import type { Value } from '../state/value.ts';
import { isArray, uniteOptions } from '../state/value.ts';
import type { Field } from '../words/atom.ts';
import { fieldKey, literalOf, UNKNOWN } from '../words/atom.ts';
import { pathField } from '../words/path.ts';
import type { Runner } from './runner.ts';
import type { Uses } from './uses.ts';
import { usesOf } from './uses.ts';

const MAX_CALLS = 64;
// Called in more ways than this, all the ways are taken as one.
const MAX_CONTEXTS = 16;

/** What a function did the last time everything it looks at was the same. */
interface Outcome {
  readonly state: State;
  readonly texts: readonly Field[];
}

/** Calls the functions of one script. */
export class Functions {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #uses = new Map<ShellFunction, Uses>();
  readonly #numbers = new Map<ShellFunction, number>();
  readonly #contexts = new Map<ShellFunction, Contexts>();

  /**
   * A call inside the very same call brings nothing new, nor does one from the very same point.
   * The words are given position by position, each in all the ways it can turn out.
   */
  call(definition: ShellFunction, { frame, words }: FunctionCall, runner: Runner): void {
    const number = this.#number(definition);
    const nested = frame.calls.some((call) => call.startsWith(`${number} `));
    const names = this.#allNames(definition, frame.state, new Set()) ?? frame.state.variableNames();
    const input = this.#limit(definition, {
      positional: nested ? words.map(settle) : words,
      variables: valuesOf(names, frame.state),
    });
    const signature = `${number} ${positionalKey(input.positional)}`;
    if (frame.calls.includes(signature)) return;
    if (frame.calls.length >= MAX_CALLS) runner.budget.exceed(`more than ${MAX_CALLS} nested function calls`);
    const key = `${signature} ${surroundingsKey(frame)} ${variablesKey(input.variables)}`;
    const outcome = this.#outcomes.get(key) ?? run({ definition, frame, input, signature }, runner);
    this.#outcomes.set(key, outcome);
    runner.budget.spend(names.size);
    frame.output?.write(outcome.texts);
    frame.state.absorb(outcome.state);
  }

  /** After so many different calls, everything may hold all that it ever held at one of them. */
  #limit(definition: ShellFunction, input: Input): Input {
    const contexts = this.#contexts.get(definition) ?? { calls: 0, all: null };
    this.#contexts.set(definition, contexts);
    contexts.calls += 1;
    contexts.all = contexts.all === null ? input : uniteInputs(contexts.all, input);
    return contexts.calls > MAX_CONTEXTS ? contexts.all : input;
  }

  #number(definition: ShellFunction): number {
    const number = this.#numbers.get(definition) ?? this.#numbers.size;
    this.#numbers.set(definition, number);
    return number;
  }

  /** The variables a function looks at, those of the functions it calls included. */
  #allNames(definition: ShellFunction, state: State, seen: Set<ShellFunction>): ReadonlySet<string> | null {
    if (seen.has(definition)) return new Set();
    seen.add(definition);
    const uses = this.#uses.get(definition) ?? usesOf(definition.node.body);
    this.#uses.set(definition, uses);
    if (uses.opaque) return null;
    const names = new Set(uses.variables);
    for (const command of uses.commands) {
      const other = state.get('function', command);
      const more = other === undefined ? new Set<string>() : this.#allNames(other, state, seen);
      if (more === null) return null;
      for (const name of more) names.add(name);
    }
    return names;
  }
}

export interface FunctionCall {
  readonly frame: Frame;
  readonly words: Positional;
}

/** What the outcome of a call depends on. */
interface Input {
  readonly positional: Positional;
  readonly variables: ReadonlyMap<string, readonly Value[]>;
}

interface Contexts {
  calls: number;
  all: Input | null;
}

interface Running {
  readonly definition: ShellFunction;
  readonly frame: Frame;
  readonly input: Input;
  readonly signature: string;
}

function run({ definition: { node, place }, frame, input, signature }: Running, runner: Runner): Outcome {
  const state = frame.state.fork();
  for (const [name, options] of input.variables)
    if (options !== frame.state.get('variable', name)?.options)
      state.set('variable', name, { ...frame.state.get('variable', name), options });
  const inner = state.fork();
  const output = frame.output === undefined ? undefined : new Output();
  inner.positional = input.positional;
  inner.locals = new Set();
  const calls = [...frame.calls, signature];
  const via = [...frame.via, `${node.name.value}()`];
  const here = place ?? (() => frame.span);
  runner.run(node.body, { ...frame, state: inner, output, place: here, calls, via });
  return { state: inner, texts: output?.texts ?? [] };
}

function valuesOf(names: ReadonlySet<string>, state: State): Input['variables'] {
  const values = new Map<string, readonly Value[]>();
  for (const name of names) {
    const options = state.get('variable', name)?.options;
    if (options !== undefined) values.set(name, options);
  }
  return values;
}

function uniteInputs(a: Input, b: Input): Input {
  const variables = new Map(a.variables);
  for (const [name, options] of b.variables) {
    const old = variables.get(name);
    if (old !== options) variables.set(name, uniteOptions([...(old ?? []), ...options]));
  }
  return { positional: unitePositional([a.positional, b.positional]) ?? [], variables };
}

function surroundingsKey({ state, stdin, output }: Frame): string {
  const cwd = [...state.cwd, ...state.cwdUnlooked].map((path) => fieldKey(pathField(path)));
  return [
    cwd.join(':'),
    stdin?.map(fieldKey).join('\u0001') ?? '?',
    state.errexit,
    output !== undefined,
  ].join('\u0002');
}

function variablesKey(variables: Input['variables']): string {
  return [...variables]
    .map(([name, options]) => `${name}=${options.map(valueKey).join('\u0001')}`)
    .join('\u0002');
}

/** Where a function calls itself, arguments that keep growing are not told apart. */
function settle(options: readonly Field[]): readonly Field[] {
  return options.every((field) => literalOf(field) !== null) ? options : [UNKNOWN];
}

function positionalKey(words: Positional): string {
  return words.map((options) => options.map(fieldKey).join('\u0003')).join('\u0001');
}

function valueKey(value: Value): string {
  if (!isArray(value)) return fieldKey(value);
  return [...value.items].map(([key, field]) => `[${key}]${fieldKey(field)}`).join('');
}
