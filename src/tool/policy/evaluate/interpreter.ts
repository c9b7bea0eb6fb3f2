import type {
  ArithmeticCommandExpansion,
  Command,
  CommandArgument,
  CommandExpansionPart,
  Function as FunctionNode,
  ParsedScript,
  ProcessSubstitutionPart,
  Redirected,
  SyntaxNode,
} from 'unbash';
import type { PolicyLimits } from '../../contract/policy-options.ts';
import { loadUnbash, walkSyntax } from '../../syntax/parse-script.ts';
import { toGitCommand } from '../programs/git-command.ts';
import { COMMAND_HANDLERS } from '../programs/handler-table.ts';
import { OUTPUT_PRODUCERS } from '../programs/output-producers.ts';
import { mayRunArguments, performEmbeddedCommand } from '../unwrap/unknown-program.ts';
import { enterFrame, runInSubshell } from '../unwrap/unwrap-command.ts';
import {
  CapturedOutput,
  type CommandPart,
  type EvaluatedCall,
  type EvaluationFrame,
  type PrintedTexts,
  readStoredText,
  StepBudget,
  toCommandPart,
  toProgramName,
  UnknownEncoder,
} from '../values/command-evaluation.ts';
import {
  type Field,
  joinFields,
  toField,
  toLiteral,
  toSubstitutionScript,
  trimLineEnds,
  UNKNOWN_FIELD,
  withoutNul,
} from '../values/field.ts';
import { isUnknownField } from '../values/parameter-expansion.ts';
import { isArrayValue, type ScriptFunction, ScriptState, unitePositionals } from '../values/script-state.ts';
import { CommandSource, type UnreadableText } from './command-source.ts';
import { runAndOr, runCompound, runInBackground, runPipeline, runStatements } from './control-flow.ts';
import type { Evaluator, RunnableNode } from './evaluator.ts';
import { FunctionCalls } from './function-calls.ts';
import { applyRedirections } from './redirections.ts';
import { createRelevance, createSlice, type ScriptSlice, WHOLE_SCRIPT } from './script-slice.ts';
import { COMMAND_VARIABLES, runSimpleCommand } from './simple-command.ts';

/** Returns the texts that result from an alias and the words after it. */
function expandAlias(alias: readonly Field[], words: readonly Field[], state: ScriptState): readonly Field[] {
  return alias.map((text) =>
    joinFields([text, ...(endsWithBlank(text) ? expandNextAlias(words, state) : words)]),
  );
}

/** An alias that ends with a blank makes the next word subject to alias expansion. */
function endsWithBlank(text: Field): boolean {
  return /\s$/.test(toLiteral(text) ?? '');
}

function expandNextAlias([next, ...rest]: readonly Field[], state: ScriptState): readonly Field[] {
  if (next === undefined) return [];
  const [text = next] = state.get('alias', toLiteral(next) ?? '') ?? [];
  return [text, ...rest];
}

function wordText(item: CommandArgument): string {
  return item.type === 'Word' ? item.value : '';
}

/** Evaluates the substitutions inside words, tests and arithmetic whose value is not needed. */
function runNestedSubstitutions(root: SyntaxNode, frame: EvaluationFrame, runner: Evaluator): void {
  walkSyntax(root, (node) => {
    if (node.type === 'Script') return 'past';
    if (isSubstitution(node)) {
      runSubstitution(node, frame, runner);
      return 'past';
    }
    for (const text of findReexpandedTexts(node, frame)) runReexpandedText(text, frame, runner);
    return 'inside';
  });
}

type Substitution = CommandExpansionPart | ProcessSubstitutionPart | ArithmeticCommandExpansion;

function isSubstitution(node: SyntaxNode): node is Substitution {
  const { type } = node;
  return (
    type === 'CommandExpansion' || type === 'ProcessSubstitution' || type === 'ArithmeticCommandExpansion'
  );
}

function runSubstitution(part: Substitution, frame: EvaluationFrame, runner: Evaluator): void {
  if (part.script === undefined) return;
  const span = frame.toSpan(part.pos, part.end);
  const toSpan = part.script.source === undefined ? frame.toSpan : () => span;
  const label = part.type === 'ProcessSubstitution' ? `${part.operator}( )` : '$( )';
  runner.runScript(part.script, { ...frame, toSpan, via: [...frame.via, label] });
}

const ARITHMETIC_TESTS = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** Returns texts that arithmetic evaluation expands again, as in `a[$(command)]`. */
function findReexpandedTexts(node: SyntaxNode, { state }: EvaluationFrame): readonly Field[] {
  if (node.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(node.value)) {
    const options = state.get('variable', node.value)?.options ?? [];
    return options.flatMap((value) => (isArrayValue(value) ? [] : [value]));
  }
  if (node.type === 'ArithmeticExpansion') return /['"]/.test(node.text) ? [toField(node.text)] : [];
  if (node.type === 'ArithmeticCommand') return /['"]/.test(node.body) ? [toField(node.body)] : [];
  if (node.type === 'TestBinary' && ARITHMETIC_TESTS.test(node.operator))
    return [toField(node.left.value), toField(node.right.value)];
  return [];
}

function runReexpandedText(text: Field, frame: EvaluationFrame, runner: Evaluator): void {
  const hasCode = text.some((atom) => atom.kind === 'text' && /\[.*(?:\$\(|`)/s.test(atom.text));
  if (!hasCode) return;
  const child = { ...frame, state: frame.state.fork(), output: undefined, depth: frame.depth + 1 };
  runner.runTexts([toSubstitutionScript(text)], child);
}

/** Options for evaluating one source text. */
interface InterpreterOptions {
  readonly source: string;
  readonly limits: PolicyLimits;
  /** Programs whose words are always evaluated; `*` for all. */
  readonly names: ReadonlySet<string>;
  readonly onPart: (part: CommandPart) => void;
  /** The source precedes the command, so that its positions are not those of the command. */
  readonly foreign?: true;
}

/** Evaluates a command as bash would, without running anything, and reports each simple command. */
export class Interpreter implements Evaluator {
  readonly budget: StepBudget;
  slice: ScriptSlice = WHOLE_SCRIPT;
  readonly #options: InterpreterOptions;
  readonly #encoder = new UnknownEncoder();
  readonly #functions = new FunctionCalls();
  readonly #definitions = new Map<ScriptFunction, 'called' | 'defined'>();
  readonly #commandSource: CommandSource;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.budget = new StepBudget(options.limits);
    this.#commandSource = new CommandSource(options.source);
  }

  /** Texts that could not be parsed. */
  get unreadables(): readonly UnreadableText[] {
    return this.#commandSource.unreadables;
  }

  /** Evaluates the whole command, its exit traps and the functions it defines. */
  interpret(state: ScriptState = new ScriptState()): void {
    const { source } = this.#options;
    const frame: EvaluationFrame = {
      state,
      stdin: undefined,
      output: undefined,
      via: [],
      depth: 0,
      outer: null,
      calls: [],
      piped: false,
      span: { start: 0, end: source.length },
      toSpan: (start, end) => ({ start, end }),
    };
    this.#read(source, frame, 'outermost');
    this.finish(frame);
    for (const [definition, use] of this.#definitions)
      if (use === 'defined') this.#tryFunction(definition, frame);
  }

  run(node: RunnableNode, frame: EvaluationFrame): void {
    if (node.type === 'Command') runSimpleCommand(node, frame, this);
    else if (node.type === 'AndOr') runAndOr(node, frame, this);
    else if (node.type === 'Pipeline') runPipeline(node, frame, this);
    else if (node.type === 'Script' || node.type === 'CompoundList')
      runStatements(node.commands, frame, this);
    else if (node.type === 'Redirected') this.#runRedirected(node, frame);
    else if (node.type === 'Function') this.#define(node, frame);
    else if (node.type === 'Coproc') runInBackground(node.body, { ...frame, stdin: undefined }, this);
    else runCompound(node, frame, this);
  }

  visit(node: SyntaxNode, frame: EvaluationFrame): void {
    runNestedSubstitutions(node, frame, this);
  }

  needsEvaluation(name: string | null, node: Command, frame: EvaluationFrame): boolean {
    const { names } = this.#options;
    if (name === null || names.has('*')) return true;
    const { state, output } = frame;
    const program = name.slice(name.lastIndexOf('/') + 1);
    if (names.has(program) || COMMAND_HANDLERS.has(program) || program.startsWith('git-')) return true;
    if (output !== undefined && OUTPUT_PRODUCERS.has(program)) return true;
    // `: ${x:=value}` sets a variable.
    if (node.args.some((item) => /\$\{\w+:?=/.test(item.text))) return true;
    if (mayRunArguments(program, node.args.map(wordText))) return true;
    if (name.includes('/') && readStoredText(toField(name), state)[0] !== UNKNOWN_FIELD) return true;
    return state.get('function', name) !== undefined || state.get('alias', name) !== undefined;
  }

  perform(call: EvaluatedCall): void {
    const [first] = call.argv;
    this.budget.spend();
    this.budget.checkDepth(call.frame.depth);
    if (first === undefined) return;
    // `$SUDO rm …`: an unknown first word may be empty, or run the rest.
    if (isUnknownField(first) && call.argv.length > 1) this.perform({ ...call, argv: call.argv.slice(1) });
    if (!call.plain && this.#expand(call)) return;
    const name = toProgramName(first);
    if (name?.startsWith('git-')) {
      this.perform({ ...call, argv: toGitCommand(call.argv, name), plain: true });
      return;
    }
    const part = toCommandPart(call);
    this.reportPart(part);
    const printed = this.#handle(name, { ...call, frame: { ...call.frame, outer: part } });
    const texts = printed ?? [UNKNOWN_FIELD];
    if (texts.length > 0) call.frame.output?.write(texts);
  }

  performMerged(calls: readonly EvaluatedCall[]): boolean {
    const [first] = calls;
    const names = new Set(calls.map(({ argv }) => toLiteral(argv[0])));
    const [name = null] = names;
    const definition = name === null || names.size > 1 ? undefined : first?.frame.state.get('function', name);
    if (first === undefined || definition === undefined) return false;
    const lists = calls.map(({ argv }) => argv.slice(1).map((word) => [word]));
    this.#definitions.set(definition, 'called');
    this.#functions.call(definition, { frame: first.frame, words: unitePositionals(lists) ?? [] }, this);
    return true;
  }

  reportPart(part: CommandPart): void {
    this.#options.onPart(part);
  }

  runTexts(texts: readonly Field[], frame: EvaluationFrame): void {
    for (const text of texts) {
      const source = this.#encoder.encode(withoutNul(text));
      if (source.trim() === '') continue;
      this.budget.spend();
      this.budget.checkDepth(frame.depth);
      this.#read(source, { ...frame, toSpan: this.#commandSource.createSpanMapper(text, frame) });
    }
  }

  decode(text: string): Field {
    return this.#encoder.decode(text);
  }

  capture(script: ParsedScript, frame: EvaluationFrame): readonly Field[] {
    const output = new CapturedOutput();
    this.#runInSubshell(script, { ...frame, output });
    return output.texts.map(trimLineEnds);
  }

  runScript(script: ParsedScript, frame: EvaluationFrame): void {
    this.#runInSubshell(script, { ...frame, output: undefined });
  }

  finish(frame: EvaluationFrame): void {
    const { traps } = frame.state;
    frame.state.traps = [];
    const child = { ...enterFrame(frame, 'trap'), output: undefined };
    for (const texts of traps) runInSubshell(texts, child, this);
    frame.state.end();
  }

  #runInSubshell(script: ParsedScript, frame: EvaluationFrame): void {
    const child = { ...frame, state: frame.state.fork() };
    this.#commandSource.reportScript(script, frame);
    runStatements(script.commands, child, this);
    this.finish(child);
  }

  /** Parses and evaluates a text. Bash joins continued lines before it parses; the parser does not always. */
  #read(source: string, frame: EvaluationFrame, level: 'outermost' | 'nested' = 'nested'): void {
    const script = loadUnbash().parse(source);
    const { names } = this.#options;
    if (level === 'outermost' && !names.has('*'))
      this.slice = createSlice(script, {
        source,
        isRelevant: createRelevance(names),
        commandVariables: COMMAND_VARIABLES,
      });
    const joined =
      source.includes('\\\n') && script.errors !== undefined ? source.replaceAll('\\\n', '') : null;
    const other = joined === null ? undefined : loadUnbash().parse(joined);
    if (other !== undefined) {
      const span = frame.span;
      runStatements(other.commands, { ...frame, state: frame.state.fork(), toSpan: () => span }, this);
    }
    if (script.errors !== undefined && (other === undefined || other.errors !== undefined))
      this.#commandSource.report(script.errors, source, frame);
    runStatements(script.commands, frame, this);
  }

  #runRedirected({ command, redirects }: Redirected, frame: EvaluationFrame): void {
    const redirected = applyRedirections(redirects, frame, this);
    this.run(command, redirected.frame);
    redirected.finish();
  }

  #define(node: FunctionNode, { state, toSpan }: EvaluationFrame): void {
    const { foreign } = this.#options;
    const definition = { node, toSpan: foreign ? null : toSpan };
    state.set('function', node.name.value, definition);
    if (!foreign) this.#definitions.set(definition, 'defined');
  }

  /** Evaluates a function that the command does not call, because a later command may call it. */
  #tryFunction(definition: ScriptFunction, frame: EvaluationFrame): void {
    const state = frame.state.fork();
    state.positional = null;
    const via = [`${definition.node.name.value}()`];
    const toSpan = definition.toSpan ?? frame.toSpan;
    this.run(definition.node.body, { ...frame, state, via, toSpan, calls: [via[0] ?? ''] });
  }

  /** Aliases and functions take precedence over programs. */
  #expand(call: EvaluatedCall): boolean {
    const { frame, argv } = call;
    const word = toLiteral(argv[0]);
    if (word === null) return false;
    const alias = frame.state.aliasesExpand ? frame.state.get('alias', word) : undefined;
    if (alias !== undefined && !frame.calls.includes(`alias ${word}`)) {
      const label = `alias ${word}`;
      const inner = { ...enterFrame(frame, label), calls: [...frame.calls, label] };
      this.runTexts(expandAlias(alias, argv.slice(1), frame.state), inner);
      return true;
    }
    const definition = frame.state.get('function', word);
    if (definition === undefined) return false;
    this.#definitions.set(definition, 'called');
    this.#functions.call(definition, { frame, words: argv.slice(1).map((word) => [word]) }, this);
    return true;
  }

  #handle(name: string | null, call: EvaluatedCall): PrintedTexts {
    if (name === null) return undefined;
    const handler =
      COMMAND_HANDLERS.get(name) ??
      (call.frame.output === undefined ? undefined : OUTPUT_PRODUCERS.get(name));
    if (handler !== undefined) return handler(call, this);
    performEmbeddedCommand(name, call, this);
    const [first = []] = call.argv;
    const texts = toLiteral(first)?.includes('/') ? readStoredText(first, call.frame.state) : [];
    runInSubshell(texts, enterFrame(call.frame, name), this);
    return undefined;
  }
}
