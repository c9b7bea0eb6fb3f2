import type {
  AndOr,
  ArithmeticFor,
  Case,
  CaseItem,
  Command,
  CompoundCommand,
  CompoundList,
  For,
  If,
  Pipeline,
  PipelineNode,
  Select,
  Statement,
  Subshell,
  SyntaxNode,
  While,
  Word,
} from 'unbash';
import { CapturedOutput, type EvaluationFrame } from '../values/command-evaluation.ts';
import { toLiteral, UNKNOWN_FIELD } from '../values/field.ts';
import { matchesShellPattern, toShellPattern } from '../values/field-pattern.ts';
import { isArrayValue, type ScriptState, uniteDirectories } from '../values/script-state.ts';
import {
  type Evaluator,
  evaluateFields,
  evaluateTexts,
  evaluateWord,
  type RunnableNode,
} from './evaluator.ts';

/** Removes the empty alternatives of a variable after a successful `[ -n "$x" ]`. */
function narrowNonEmptyVariable(condition: SyntaxNode | undefined, state: ScriptState): void {
  const name = findTestedVariable(condition);
  const variable = name === null ? undefined : state.get('variable', name);
  if (name === null || variable === undefined) return;
  const options = variable.options.filter((value) => isArrayValue(value) || value.length > 0);
  if (options.length > 0 && options.length < variable.options.length)
    state.set('variable', name, { ...variable, options });
}

/** Returns the variable that a condition requires to be non-empty. */
function findTestedVariable(node: SyntaxNode | undefined): string | null {
  switch (node?.type) {
    case 'CompoundList':
      return node.commands.length === 1 ? findTestedVariable(node.commands[0]?.command) : null;
    case 'AndOr':
      return node.operators.includes('||') ? null : findTestedVariable(node.commands[0]);
    case 'TestCommand':
      return node.expression.type === 'TestUnary' && node.expression.operator === '-n'
        ? toVariableName(node.expression.operand)
        : null;
    case 'Command':
      return /^(?:\[|test)$/.test(node.name?.value ?? '') ? findTestOperand(node) : null;
    default:
      return null;
  }
}

function findTestOperand({ args }: Command): string | null {
  const words = args.filter((item) => item.type === 'Word');
  const given = words.at(-1)?.value === ']' ? words.slice(0, -1) : words;
  const [first, second] = given;
  if (given.length === 1) return toVariableName(first);
  return given.length === 2 && first?.value === '-n' ? toVariableName(second) : null;
}

function toVariableName(word: Word | undefined): string | null {
  return /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(word?.text ?? '')?.[1] ?? null;
}

/** Evaluates statements in sequence. */
export function runStatements(
  statements: readonly Statement[],
  frame: EvaluationFrame,
  runner: Evaluator,
): void {
  for (const statement of statements) {
    if (frame.output === undefined && runner.slice.skips(statement)) continue;
    const { command, background } = statement;
    if (background) runInBackground(command, frame, runner);
    else runner.run(command, frame);
    settleFailedCd(frame);
  }
}

/** Evaluates a background command in a subshell; it may already have ended when the next command runs. */
export function runInBackground(command: RunnableNode, frame: EvaluationFrame, runner: Evaluator): void {
  const state = frame.state.fork();
  runner.run(command, { ...frame, state });
  state.end();
}

/** After `cd x; y` the directory change may have failed; in `cd x && y` it has succeeded. */
function settleFailedCd({ state }: EvaluationFrame): void {
  if (state.cwdOnFailure.length === 0) return;
  if (!state.errexit) state.cwdUnchecked = uniteDirectories([state.cwdUnchecked, state.cwdOnFailure]);
  state.cwdOnFailure = [];
}

/** Evaluates `a && b || c`: each command after the first may run or not. */
export function runAndOr({ commands, operators }: AndOr, frame: EvaluationFrame, runner: Evaluator): void {
  const [first, ...rest] = commands;
  if (first === undefined) return;
  runner.run(first, frame);
  const ran = frame.state.fork();
  if (operators[0] === '&&') narrowNonEmptyVariable(first, ran);
  runBranches(frame, [
    () => runAndOrRest(rest, { operators, frame: { ...frame, state: ran } }, runner),
    () => undefined,
  ]);
  const skipped = frame.state.fork();
  frame.state.join([ran, skipped]);
}

interface AndOrRest {
  readonly operators: readonly ('&&' | '||')[];
  readonly frame: EvaluationFrame;
}

function runAndOrRest(
  commands: readonly PipelineNode[],
  { operators, frame }: AndOrRest,
  runner: Evaluator,
): void {
  commands.forEach((command, index) => {
    if (operators[index] === '&&') {
      runner.run(command, frame);
      return;
    }
    // A failed `cd` before `||` leaves the directory unchanged.
    const other = frame.state.fork();
    if (other.cwdOnFailure.length > 0)
      other.cwdUnchecked = uniteDirectories([other.cwdUnchecked, other.cwdOnFailure]);
    runner.run(command, { ...frame, state: other });
    frame.state.join([other, frame.state.fork()]);
  });
}

/** Evaluates a pipeline: each stage is a subshell that reads the output of the previous one. */
export function runPipeline(
  { commands, operators }: Pipeline,
  frame: EvaluationFrame,
  runner: Evaluator,
): void {
  if (commands.length === 1 && commands[0] !== undefined) {
    runner.run(commands[0], frame);
    return;
  }
  let stdin = frame.stdin;
  commands.forEach((command, index) => {
    const last = index === commands.length - 1;
    const output = last ? frame.output : new CapturedOutput();
    const piped = index > 0 ? true : frame.piped;
    const stage = { ...frame, state: frame.state.fork(), stdin, output, piped };
    runner.run(command, stage);
    runner.finish(stage);
    if (!last && output !== undefined) stdin = operators[index] === '|&' ? undefined : output.texts;
  });
}

/** Evaluates alternatives whose outputs exclude each other. */
export function runBranches(frame: EvaluationFrame, branches: readonly (() => void)[]): void {
  if (frame.output !== undefined) frame.output.branch(branches);
  else for (const run of branches) run();
}

function runIf(node: If, frame: EvaluationFrame, runner: Evaluator): void {
  runner.run(node.clause, frame);
  // The conditions of later branches may run, and their effects persist.
  for (const { clause } of node.elif) runOneOf({ lists: [clause], sure: false }, frame, runner);
  const lists = [node.then, ...node.elif.map(({ then }) => then)];
  if (node.else !== undefined) lists.push(node.else);
  runOneOf({ lists, sure: node.else !== undefined, condition: node.clause }, frame, runner);
}

interface BranchLists {
  readonly lists: readonly CompoundList[];
  /** Whether one of the lists always runs. */
  readonly sure: boolean;
  /** Condition that is true in the first list. */
  readonly condition?: CompoundList;
}

/** Evaluates alternative lists of which one runs. */
function runOneOf({ lists, sure, condition }: BranchLists, frame: EvaluationFrame, runner: Evaluator): void {
  const forks = lists.map((list) => ({ list, state: frame.state.fork() }));
  if (forks[0] !== undefined) narrowNonEmptyVariable(condition, forks[0].state);
  const runs = forks.map(
    ({ list, state }) =>
      () =>
        runner.run(list, { ...frame, state }),
  );
  runBranches(frame, sure ? runs : [...runs, () => undefined]);
  const states = forks.map(({ state }) => state);
  frame.state.join(sure ? states : [...states, frame.state.fork()]);
}

function runWhile(node: While, frame: EvaluationFrame, runner: Evaluator): void {
  runner.run(node.clause, frame);
  runLoop({ body: node.body, again: node.clause }, frame, runner);
}

function runFor(node: For | Select, frame: EvaluationFrame, runner: Evaluator): void {
  const name = node.name.value;
  if (!runner.slice.needs(name)) {
    for (const word of node.wordlist ?? []) runner.visit(word, frame);
    runLoop({ body: node.body }, frame, runner);
    return;
  }
  const fields =
    node.wordlist === undefined
      ? (frame.state.positional?.flat() ?? [UNKNOWN_FIELD])
      : node.wordlist.flatMap((word) => evaluateFields(word, frame, runner));
  runner.budget.spend(fields.length);
  frame.state.set('variable', name, { options: fields.length === 0 ? [UNKNOWN_FIELD] : fields });
  runLoop({ body: node.body }, frame, runner);
}

interface LoopBody {
  readonly body: CompoundList;
  readonly again?: CompoundList;
}

/** Number of evaluated passes. A value that needs more passes to reach a variable is not followed. */
const MAX_LOOP_PASSES = 3;

function runLoop({ body, again }: LoopBody, frame: EvaluationFrame, runner: Evaluator): void {
  for (let pass = 0; pass < MAX_LOOP_PASSES; pass += 1) {
    const { revision } = frame.state;
    runOneOf({ lists: [body], sure: false }, frame, runner);
    if (frame.state.revision === revision) return;
    if (again !== undefined) runner.run(again, frame);
  }
}

function runCase(node: Case, frame: EvaluationFrame, runner: Evaluator): void {
  const texts = evaluateWord(node.word, frame, runner).map(toLiteral);
  const reached: CaseItem[] = [];
  for (const [index, item] of node.items.entries()) {
    const before = node.items[index - 1];
    const fallsThrough = before?.terminator === ';&' && reached.includes(before);
    if (fallsThrough || mayMatchCase({ item, texts, frame }, runner)) reached.push(item);
  }
  runOneOf({ lists: reached.map(({ body }) => body), sure: false }, frame, runner);
}

interface CaseMatch {
  readonly item: CaseItem;
  readonly texts: readonly (string | null)[];
  readonly frame: EvaluationFrame;
}

/** Whether a branch may be taken; only a known word with known patterns excludes it. */
function mayMatchCase({ item, texts, frame }: CaseMatch, runner: Evaluator): boolean {
  for (const pattern of item.pattern) runner.visit(pattern, frame);
  if (texts.includes(null)) return true;
  return item.pattern.some((word) =>
    evaluateTexts({ frame, evaluate: (expander) => expander.pattern(word) }, runner).some((field) => {
      const pattern = toShellPattern(field);
      return pattern === null || texts.some((text) => matchesShellPattern(pattern, text ?? ''));
    }),
  );
}

/** Evaluates a compound command. */
export function runCompound(node: CompoundCommand, frame: EvaluationFrame, runner: Evaluator): void {
  if (node.type === 'If') runIf(node, frame, runner);
  else if (node.type === 'While') runWhile(node, frame, runner);
  else if (node.type === 'For' || node.type === 'Select') runFor(node, frame, runner);
  else if (node.type === 'ArithmeticFor') runArithmeticFor(node, frame, runner);
  else if (node.type === 'Case') runCase(node, frame, runner);
  else if (node.type === 'BraceGroup') runner.run(node.body, frame);
  else if (node.type === 'Subshell') runSubshell(node, frame, runner);
  else runner.visit(node, frame);
}

function runArithmeticFor(
  { initialize, test, update, body }: ArithmeticFor,
  frame: EvaluationFrame,
  runner: Evaluator,
): void {
  for (const part of [initialize, test, update]) if (part !== undefined) runner.visit(part, frame);
  runLoop({ body }, frame, runner);
}

function runSubshell({ body }: Subshell, frame: EvaluationFrame, runner: Evaluator): void {
  const child = { ...frame, state: frame.state.fork() };
  runner.run(body, child);
  runner.finish(child);
}
