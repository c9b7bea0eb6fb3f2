import type {
  Command,
  Function as FunctionNode,
  ParsedScript,
  Redirected,
  Statement,
  SyntaxNode,
} from 'unbash';
import { isUnknown } from '../expand/lookup.ts';
import { dashed } from '../git/git.ts';
import { unbash } from '../parse/unbash.ts';
import { createRelevance } from '../slice/relevance.ts';
import type { Slice } from '../slice/slice.ts';
import { sliceOf, WHOLE } from '../slice/slice.ts';
import type { Limits } from '../state/budget.ts';
import { Budget } from '../state/budget.ts';
import type { Call, Frame, Part, Printed } from '../state/machine.ts';
import { Weave } from '../state/machine.ts';
import { Output } from '../state/output.ts';
import { programName, toPart } from '../state/part.ts';
import type { ShellFunction } from '../state/state.ts';
import { State, unitePositional } from '../state/state.ts';
import { storedText } from '../state/stored-file.ts';
import { HANDLERS, LISTENED } from '../unwrap/handlers.ts';
import { performWords } from '../unwrap/unknown-program.ts';
import { runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, UNKNOWN } from '../words/atom.ts';
import { withoutLineEnds } from '../words/lines.ts';
import { expandAlias } from './alias.ts';
import { Functions } from './call.ts';
import { Loops } from './carried.ts';
import { HOLDS_CODE } from './code-variable.ts';
import { runCompound } from './compound.ts';
import { runAndOr, runBeside, runPipeline, runStatements } from './list.ts';
import { matters } from './matters.ts';
import { redirect } from './redirect.ts';
import type { Runnable, Runner } from './runner.ts';
import { runSimple } from './simple.ts';
import type { Unreadable } from './unreadable.ts';
import { visitNested } from './visit.ts';
import { Written } from './written.ts';

export interface InterpreterOptions {
  readonly source: string;
  readonly limits: Limits;
  /** Names whose words are always evaluated; `*` for all. */
  readonly names: ReadonlySet<string>;
  readonly onPart: (part: Part) => void;
  /** The text came before the command: positions in it mean nothing. */
  readonly foreign?: true;
}

/** Goes through a command the way bash would, without doing anything. */
export class Interpreter implements Runner {
  readonly budget: Budget;
  slice: Slice = WHOLE;
  readonly loops: Loops = new Loops();
  readonly #options: InterpreterOptions;
  readonly #weave = new Weave();
  readonly #functions = new Functions();
  readonly #definitions = new Map<ShellFunction, 'called' | 'defined'>();
  readonly #written: Written;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.budget = new Budget(options.limits);
    this.#written = new Written(options.source);
  }

  /** What of the command cannot be read. */
  get unreadables(): readonly Unreadable[] {
    return this.#written.unreadables;
  }

  /** Goes through the whole command, and through what it leaves for later. */
  interpret(state: State = new State()): void {
    const { source } = this.#options;
    const frame: Frame = {
      state,
      stdin: undefined,
      output: undefined,
      via: [],
      depth: 0,
      outer: null,
      calls: [],
      piped: false,
      span: { start: 0, end: source.length },
      place: (start, end) => ({ start, end }),
    };
    this.#read(source, frame, 'outermost');
    this.finish(frame);
    for (const [definition, use] of this.#definitions)
      if (use === 'defined') this.#tryFunction(definition, frame);
  }

  run(node: Runnable, frame: Frame): void {
    if (node.type === 'Command') runSimple(node, frame, this);
    else if (node.type === 'AndOr') runAndOr(node, frame, this);
    else if (node.type === 'Pipeline') runPipeline(node, frame, this);
    else if (node.type === 'Script' || node.type === 'CompoundList') this.statements(node.commands, frame);
    else if (node.type === 'Redirected') this.#runRedirected(node, frame);
    else if (node.type === 'Function') this.#define(node, frame);
    else if (node.type === 'Coproc') runBeside(node.body, { ...frame, stdin: undefined }, this);
    else runCompound(node, frame, this);
  }

  statements(list: readonly Statement[], frame: Frame): void {
    runStatements(list, frame, this);
  }

  visit(node: SyntaxNode, frame: Frame): void {
    visitNested(node, frame, this);
  }

  matters(name: string | null, node: Command, frame: Frame): boolean {
    return matters(name, node, { frame, names: this.#options.names });
  }

  perform(call: Call): void {
    const [first] = call.argv;
    this.budget.spend();
    this.budget.checkDepth(call.frame.depth);
    if (first === undefined) return;
    // `$SUDO rm …`: the first word may turn out to be nothing, or to run the rest.
    if (isUnknown(first) && call.argv.length > 1) this.perform({ ...call, argv: call.argv.slice(1) });
    if (!call.plain && this.#expand(call)) return;
    const name = programName(first);
    if (name?.startsWith('git-')) {
      this.perform({ ...call, argv: dashed(call.argv, name), plain: true });
      return;
    }
    const part = toPart(call);
    this.judge(part);
    const printed = this.#handle(name, { ...call, frame: { ...call.frame, outer: part } });
    const texts = printed ?? [UNKNOWN];
    if (texts.length > 0) call.frame.output?.write(texts);
  }

  performMerged(calls: readonly Call[]): boolean {
    const [first] = calls;
    const names = new Set(calls.map(({ argv }) => literalOf(argv[0])));
    const [name = null] = names;
    const definition = name === null || names.size > 1 ? undefined : first?.frame.state.get('function', name);
    if (first === undefined || definition === undefined) return false;
    const lists = calls.map(({ argv }) => argv.slice(1).map((word) => [word]));
    this.#definitions.set(definition, 'called');
    this.#functions.call(definition, { frame: first.frame, words: unitePositional(lists) ?? [] }, this);
    return true;
  }

  judge(part: Part): void {
    this.#options.onPart(part);
  }

  runTexts(texts: readonly Field[], frame: Frame): void {
    for (const text of texts) {
      const source = this.#weave.encode(text);
      if (source.trim() === '') continue;
      this.budget.spend();
      this.budget.checkDepth(frame.depth);
      this.#read(source, { ...frame, place: this.#written.placeOf(text, frame) });
    }
  }

  decode(text: string): Field {
    return this.#weave.decode(text);
  }

  encode(field: Field): string {
    return this.#weave.encode(field);
  }

  capture(script: ParsedScript, frame: Frame): readonly Field[] {
    const child = { ...frame, state: frame.state.fork(), output: new Output() };
    this.unreadable(script, frame);
    this.statements(script.commands, child);
    this.finish(child);
    return child.output.texts.map(withoutLineEnds);
  }

  runScript(script: ParsedScript, frame: Frame): void {
    const child = { ...frame, state: frame.state.fork(), output: undefined };
    this.unreadable(script, frame);
    this.statements(script.commands, child);
    this.finish(child);
  }

  finish(frame: Frame): void {
    const { traps } = frame.state;
    frame.state.traps = [];
    for (const texts of traps)
      runApart(
        texts,
        { ...frame, output: undefined, depth: frame.depth + 1, via: [...frame.via, 'trap'] },
        this,
      );
    frame.state.end();
  }

  unreadable(script: ParsedScript, frame: Frame): void {
    this.#written.reportScript(script, frame);
  }

  /** bash joins continued lines before it looks for operators; the parser does not always. */
  #read(source: string, frame: Frame, level: 'outermost' | 'nested' = 'nested'): void {
    const script = unbash().parse(source);
    const { names } = this.#options;
    if (level === 'outermost' && !names.has('*'))
      this.slice = sliceOf(script, { source, matters: createRelevance(names), code: HOLDS_CODE });
    const joined =
      source.includes('\\\n') && script.errors !== undefined ? source.replaceAll('\\\n', '') : null;
    const other = joined === null ? undefined : unbash().parse(joined);
    if (other !== undefined) {
      const span = frame.span;
      this.statements(other.commands, { ...frame, state: frame.state.fork(), place: () => span });
    }
    if (script.errors !== undefined && (other === undefined || other.errors !== undefined))
      this.#written.report(script.errors, source, frame);
    this.statements(script.commands, frame);
  }

  #runRedirected({ command, redirects }: Redirected, frame: Frame): void {
    const redirected = redirect(redirects, frame, this);
    this.run(command, redirected.frame);
    redirected.finish();
  }

  #define(node: FunctionNode, { state, place }: Frame): void {
    const { foreign } = this.#options;
    const definition = { node, place: foreign ? null : place };
    state.set('function', node.name.value, definition);
    if (!foreign) this.#definitions.set(definition, 'defined');
  }

  /** A function that is never called here may be called by the next command. */
  #tryFunction(definition: ShellFunction, frame: Frame): void {
    const state = frame.state.fork();
    state.positional = null;
    const via = [`${definition.node.name.value}()`];
    const place = definition.place ?? frame.place;
    this.run(definition.node.body, { ...frame, state, via, place, calls: [via[0] ?? ''] });
  }

  /** Aliases and functions go before programs. */
  #expand(call: Call): boolean {
    const { frame, argv } = call;
    const word = literalOf(argv[0]);
    if (word === null) return false;
    const alias = frame.state.aliasesExpand ? frame.state.get('alias', word) : undefined;
    if (alias !== undefined && !frame.calls.includes(`alias ${word}`)) {
      const inner = {
        ...frame,
        depth: frame.depth + 1,
        calls: [...frame.calls, `alias ${word}`],
        via: [...frame.via, `alias ${word}`],
      };
      this.runTexts(expandAlias(alias, argv.slice(1), frame.state), inner);
      return true;
    }
    const definition = frame.state.get('function', word);
    if (definition === undefined) return false;
    this.#definitions.set(definition, 'called');
    this.#functions.call(definition, { frame, words: argv.slice(1).map((word) => [word]) }, this);
    return true;
  }

  #handle(name: string | null, call: Call): Printed {
    if (name === null) return undefined;
    const handler = HANDLERS.get(name) ?? (call.frame.output === undefined ? undefined : LISTENED.get(name));
    if (handler !== undefined) return handler(call, this);
    performWords(name, call, this);
    const [first = []] = call.argv;
    const texts = literalOf(first)?.includes('/') ? storedText(first, call.frame.state) : [];
    runApart(texts, { ...call.frame, depth: call.frame.depth + 1, via: [...call.frame.via, name] }, this);
    return undefined;
  }
}
