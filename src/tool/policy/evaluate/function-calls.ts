import type { Command, SyntaxNode } from 'unbash';
import { toLiteralWord, walkSyntax } from '../../syntax/parse-script.ts';
import { CapturedOutput, type EvaluationFrame } from '../values/command-evaluation.ts';
import { type Field, fieldKey, toLiteral, UNKNOWN_FIELD } from '../values/field.ts';
import { fromFieldPath } from '../values/field-path.ts';
import {
  isArrayValue,
  type PositionalParameters,
  type ScriptFunction,
  type ScriptState,
  unitePositionals,
  uniteValues,
  type VariableValue,
} from '../values/script-state.ts';
import type { Evaluator } from './evaluator.ts';

/** The names that the body of a function uses. */
interface NameUses {
  readonly variables: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
  /** Whether the body may use any variable: `eval`, `${!name}`, or a command name that is not literal. */
  readonly opaque: boolean;
}

/** Collects the variables and commands that a function body uses. */
function collectNameUses(body: SyntaxNode): NameUses {
  const variables = new Set<string>();
  const commands = new Set<string>();
  let opaque = false;
  walkSyntax(body, (node) => {
    for (const name of collectVariables(node)) variables.add(name);
    if (node.type === 'ParameterExpansion') opaque ||= node.prefix === '!';
    if (node.type === 'Command' && node.name !== undefined) {
      const name = toCommandName(node);
      if (name === null) opaque = true;
      else commands.add(name);
    }
    return 'inside';
  });
  return { variables, commands, opaque };
}

function collectVariables(node: SyntaxNode): readonly string[] {
  if (node.type === 'SimpleExpansion') return [node.text.slice(1)];
  if (node.type === 'ParameterExpansion') return [node.parameter];
  if (node.type === 'Assignment') return node.append ? [node.name] : [];
  return node.type === 'ArithmeticWord' ? (node.value.match(/[A-Za-z_]\w*/g) ?? []) : [];
}

function toCommandName({ name }: Command): string | null {
  const literal = name === undefined ? undefined : toLiteralWord(name)?.value;
  return literal === undefined || /^(?:eval|source|\.|trap)$/.test(literal) ? null : literal;
}

const MAX_CALLS = 64;
// With more different inputs than this, the inputs of all calls are merged.
const MAX_CONTEXTS = 16;

/** The cached result of a function call. */
interface FunctionOutcome {
  readonly state: ScriptState;
  readonly texts: readonly Field[];
}

/** Evaluates function calls and caches the results by input. */
export class FunctionCalls {
  readonly #outcomes = new Map<string, FunctionOutcome>();
  readonly #uses = new Map<ScriptFunction, NameUses>();
  readonly #numbers = new Map<ScriptFunction, number>();
  readonly #contexts = new Map<ScriptFunction, CallContexts>();

  /**
   * Evaluates a call. A recursive call with the same arguments is skipped, and a repeated call uses the cached
   * result. Each argument is a list of alternatives.
   */
  call(definition: ScriptFunction, { frame, words }: FunctionCall, runner: Evaluator): void {
    const number = this.#number(definition);
    const nested = frame.calls.some((call) => call.startsWith(`${number} `));
    const names = this.#allNames(definition, frame.state, new Set()) ?? frame.state.variableNames();
    const input = this.#limit(definition, {
      positional: nested ? words.map(generalizeArgument) : words,
      variables: readVariableValues(names, frame.state),
    });
    const signature = `${number} ${positionalKey(input.positional)}`;
    if (frame.calls.includes(signature)) return;
    if (frame.calls.length >= MAX_CALLS) runner.budget.exceed(`more than ${MAX_CALLS} nested function calls`);
    const key = `${signature} ${surroundingsKey(frame)} ${variablesKey(input.variables)}`;
    const outcome = this.#outcomes.get(key) ?? runFunction({ definition, frame, input, signature }, runner);
    this.#outcomes.set(key, outcome);
    runner.budget.spend(names.size);
    frame.output?.write(outcome.texts);
    frame.state.absorb(outcome.state);
  }

  /** Merges the input with those of all earlier calls once there are too many. */
  #limit(definition: ScriptFunction, input: FunctionInput): FunctionInput {
    const contexts = this.#contexts.get(definition) ?? { calls: 0, all: null };
    this.#contexts.set(definition, contexts);
    contexts.calls += 1;
    contexts.all = contexts.all === null ? input : uniteInputs(contexts.all, input);
    return contexts.calls > MAX_CONTEXTS ? contexts.all : input;
  }

  #number(definition: ScriptFunction): number {
    const number = this.#numbers.get(definition) ?? this.#numbers.size;
    this.#numbers.set(definition, number);
    return number;
  }

  /** Returns the variables that a function and its callees use; `null` when they are not known. */
  #allNames(
    definition: ScriptFunction,
    state: ScriptState,
    seen: Set<ScriptFunction>,
  ): ReadonlySet<string> | null {
    if (seen.has(definition)) return new Set();
    seen.add(definition);
    const uses = this.#uses.get(definition) ?? collectNameUses(definition.node.body);
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

interface FunctionCall {
  readonly frame: EvaluationFrame;
  readonly words: PositionalParameters;
}

/** The values on which the result of a call depends. */
interface FunctionInput {
  readonly positional: PositionalParameters;
  readonly variables: ReadonlyMap<string, readonly VariableValue[]>;
}

interface CallContexts {
  calls: number;
  all: FunctionInput | null;
}

interface FunctionRun {
  readonly definition: ScriptFunction;
  readonly frame: EvaluationFrame;
  readonly input: FunctionInput;
  readonly signature: string;
}

function runFunction(
  { definition: { node, toSpan }, frame, input, signature }: FunctionRun,
  runner: Evaluator,
): FunctionOutcome {
  const state = frame.state.fork();
  for (const [name, options] of input.variables)
    if (options !== frame.state.get('variable', name)?.options)
      state.set('variable', name, { ...frame.state.get('variable', name), options });
  const inner = state.fork();
  const output = frame.output === undefined ? undefined : new CapturedOutput();
  inner.positional = input.positional;
  inner.locals = new Set();
  const calls = [...frame.calls, signature];
  const via = [...frame.via, `${node.name.value}()`];
  const here = toSpan ?? (() => frame.span);
  runner.run(node.body, { ...frame, state: inner, output, toSpan: here, calls, via });
  return { state: inner, texts: output?.texts ?? [] };
}

function readVariableValues(names: ReadonlySet<string>, state: ScriptState): FunctionInput['variables'] {
  const values = new Map<string, readonly VariableValue[]>();
  for (const name of names) {
    const options = state.get('variable', name)?.options;
    if (options !== undefined) values.set(name, options);
  }
  return values;
}

function uniteInputs(a: FunctionInput, b: FunctionInput): FunctionInput {
  const variables = new Map(a.variables);
  for (const [name, options] of b.variables) {
    const old = variables.get(name);
    if (old !== options) variables.set(name, uniteValues([...(old ?? []), ...options]));
  }
  return { positional: unitePositionals([a.positional, b.positional]) ?? [], variables };
}

function surroundingsKey({ state, stdin, output }: EvaluationFrame): string {
  const cwd = [...state.cwd, ...state.cwdUnchecked].map((path) => fieldKey(fromFieldPath(path)));
  return [
    cwd.join(':'),
    stdin?.map(fieldKey).join('\u0001') ?? '?',
    state.errexit,
    output !== undefined,
  ].join('\u0002');
}

function variablesKey(variables: FunctionInput['variables']): string {
  return [...variables]
    .map(([name, options]) => `${name}=${options.map(valueKey).join('\u0001')}`)
    .join('\u0002');
}

/**
 * In recursive calls, arguments that are not literal become unknown so that growing arguments do not multiply.
 */
function generalizeArgument(options: readonly Field[]): readonly Field[] {
  return options.every((field) => toLiteral(field) !== null) ? options : [UNKNOWN_FIELD];
}

function positionalKey(words: PositionalParameters): string {
  return words.map((options) => options.map(fieldKey).join('\u0003')).join('\u0001');
}

function valueKey(value: VariableValue): string {
  if (!isArrayValue(value)) return fieldKey(value);
  return [...value.items].map(([key, field]) => `[${key}]${fieldKey(field)}`).join('');
}
