import type { ArrayValue as ArrayNode, Assignment, Command, CommandArgument, Word } from 'unbash';
import { wordList } from '../../../engine/text/word-list.ts';
import { repairSubstitutionAssignment } from '../../syntax/parse-script.ts';
import { COMMAND_HANDLERS } from '../programs/handler-table.ts';
import { type EvaluatedCall, type EvaluationFrame, readStoredText } from '../values/command-evaluation.ts';
import { concatFields, type Field, splitWords, toField, toLiteral, UNKNOWN_FIELD } from '../values/field.ts';
import {
  isArrayValue,
  setElements,
  setVariable,
  toArrayValue,
  type VariableValue,
} from '../values/script-state.ts';
import type { WordExpander } from '../values/word-expander.ts';
import { runBranches } from './control-flow.ts';
import { type Evaluator, evaluateCombinations } from './evaluator.ts';
import { applyRedirections, type RedirectedFrame } from './redirections.ts';

/** Applies an assignment to the state of the frame. */
function performAssignment(assignment: Assignment, frame: EvaluationFrame, runner: Evaluator): void {
  if (!runner.slice.needs(assignment.name)) {
    runner.visit(assignment, frame);
    return;
  }
  const added = evaluateCombinations(
    { frame, evaluate: (expander) => assignedValue(assignment, expander) },
    runner,
  );
  runner.budget.spend(added.length);
  setVariable(frame.state, assignment.name, { values: added, append: assignment.append === true });
}

function assignedValue({ value, index, name }: Assignment, expander: WordExpander): VariableValue {
  if (value.type === 'ArrayValue') return arrayValue(value, expander);
  const field = expander.single(value);
  if (index === undefined) return field;
  const key = toLiteral(expander.single(index, 'text'));
  const old = expander.frame.state.get('variable', name)?.options[0] ?? toArrayValue([]);
  return key === null ? old : setElements(old, { items: new Map([[key, field]]) });
}

function arrayValue({ elements }: ArrayNode, expander: WordExpander): VariableValue {
  const items = new Map<string, Field>();
  for (const element of elements) {
    const [prefix, key = ''] = /^\[([^\]]*)\]=/.exec(element.text) ?? [];
    if (prefix !== undefined) items.set(stripQuotes(key), keyedField(element, prefix, expander));
    else for (const field of expander.fields(element)) items.set(String(items.size), field);
  }
  return { items };
}

/** Returns the value of a `[key]=value` element, which is parsed as one word. */
function keyedField(element: Word, prefix: string, expander: WordExpander): Field {
  const text = toLiteral(expander.single(element));
  return text === null ? UNKNOWN_FIELD : toField(text.slice(stripQuotes(prefix).length));
}

function stripQuotes(text: string): string {
  return text.replace(/['"\\]/g, '');
}

/** Variables whose value is a command that some program runs. */
export const COMMAND_VARIABLES: ReadonlySet<string> = new Set(
  wordList(`
  PROMPT_COMMAND GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF
  GIT_ASKPASS SSH_ASKPASS EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN RSYNC_RSH
`),
);

/** Variables whose value is a file that a shell reads at startup. */
const SCRIPT_FILE_VARIABLES: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV']);

/** Evaluates the values of such variables as commands as soon as they are assigned. */
function runCommandVariables(names: readonly string[], frame: EvaluationFrame, runner: Evaluator): void {
  for (const name of names) {
    if (!COMMAND_VARIABLES.has(name) && !SCRIPT_FILE_VARIABLES.has(name)) continue;
    const values = frame.state.get('variable', name)?.options ?? [];
    const texts = values.flatMap((value) => (isArrayValue(value) ? [...value.items.values()] : [value]));
    const scripts = SCRIPT_FILE_VARIABLES.has(name)
      ? texts.flatMap((file) => readStoredText(file, frame.state))
      : texts;
    runner.runTexts(scripts, {
      ...frame,
      state: frame.state.fork(),
      output: undefined,
      via: [...frame.via, name],
    });
  }
}

const DECLARING_BUILTINS: ReadonlySet<string> = new Set([
  'declare',
  'typeset',
  'export',
  'readonly',
  'local',
]);

/** Evaluates a simple command: assignments, redirections and words. */
export function runSimpleCommand(given: Command, outer: EvaluationFrame, runner: Evaluator): void {
  runner.budget.spend();
  const node = repairSubstitutionAssignment(given);
  const frame = { ...outer, span: outer.toSpan(node.pos, node.end) };
  const assignments = node.prefix.filter((item) => item.type === 'Assignment');
  const redirected = applyRedirections(node.redirects, frame, runner);
  // `exec` without a command applies its redirections to the shell.
  if (node.name?.value === 'exec' && node.args.length === 0) frame.state.descriptors = redirected.descriptors;
  if (node.name === undefined) {
    for (const assignment of assignments) performAssignment(assignment, frame, runner);
    runCommandVariables(
      assignments.map(({ name }) => name),
      frame,
      runner,
    );
    // `$(< file)` prints the file.
    if (node.redirects.length > 0) redirected.frame.output?.write(redirected.frame.stdin ?? [UNKNOWN_FIELD]);
  } else withAssignments({ assignments, frame, run: () => runNamed(node, redirected, runner) }, runner);
  redirected.finish();
}

interface TemporaryAssignments {
  readonly assignments: readonly Assignment[];
  readonly frame: EvaluationFrame;
  readonly run: () => void;
}

/** Applies the assignments before a command while it runs. */
function withAssignments({ assignments, frame, run }: TemporaryAssignments, runner: Evaluator): void {
  if (assignments.length === 0) {
    run();
    return;
  }
  const { state } = frame;
  const before = assignments.map(({ name }) => [name, state.get('variable', name)] as const);
  for (const assignment of assignments) performAssignment(assignment, frame, runner);
  runCommandVariables(
    assignments.map(({ name }) => name),
    frame,
    runner,
  );
  run();
  for (const [name, variable] of before) state.set('variable', name, variable ?? null);
}

function runNamed(node: Command, redirected: RedirectedFrame, runner: Evaluator): void {
  const { frame } = redirected;
  const name = node.name?.parts === undefined ? (node.name?.value ?? null) : null;
  if (!runner.needsEvaluation(name, node, frame)) {
    runner.visit(node, frame);
    frame.output?.write([UNKNOWN_FIELD]);
    return;
  }
  if (name !== null && DECLARING_BUILTINS.has(name)) performDeclaration(node, frame, runner);
  const ways = evaluateCombinations(
    { frame, evaluate: (expander) => toEvaluatedCall(node, expander, redirected) },
    runner,
  );
  const calls = ways.flatMap(splitMixedCall);
  for (const { argv } of calls) runner.budget.spend(argv.length);
  performAll(calls, frame, runner);
}

/** Evaluates all alternatives of a command; the state afterwards is the union of their states. */
function performAll(calls: readonly EvaluatedCall[], frame: EvaluationFrame, runner: Evaluator): void {
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) {
    runner.perform(only);
    return;
  }
  if (calls.length > MAX_SEPARATE_CALLS && runner.performMerged(calls)) return;
  if (frame.output === undefined && calls.every((call) => leavesStateUnchanged(call))) {
    for (const call of calls) runner.perform(call);
    return;
  }
  const forked = calls.map((call) => ({ ...call, frame: { ...call.frame, state: frame.state.fork() } }));
  runBranches(
    frame,
    forked.map((call) => () => runner.perform(call)),
  );
  frame.state.join(forked.map((call) => call.frame.state));
}

/** Whether a command leaves the shell unchanged, so that its alternatives need no separate states. */
function leavesStateUnchanged({ argv, frame }: EvaluatedCall): boolean {
  const name = toLiteral(argv[0]);
  if (
    name === null ||
    frame.state.get('function', name) !== undefined ||
    frame.state.get('alias', name) !== undefined
  )
    return false;
  return name === 'git'
    ? toLiteral(argv[1])?.startsWith('-') === false && toLiteral(argv[1]) !== 'config'
    : !COMMAND_HANDLERS.has(name);
}

/** Expands mixes: all words of an argument at once, but one call per command name. */
function splitMixedCall(call: EvaluatedCall): readonly EvaluatedCall[] {
  const [name, ...words] = call.argv;
  if (name === undefined || !call.argv.some(isMixField)) return [call];
  const rest = words.flatMap((word) => (isMixField(word) ? splitWords(word) : [word]));
  const names = isMixField(name) ? splitWords(name) : [name];
  return names.map((word) => ({ ...call, argv: [word, ...rest] }));
}

function isMixField([first]: Field): boolean {
  return first?.kind === 'mix';
}

function toEvaluatedCall(
  node: Command,
  expander: WordExpander,
  { frame, descriptors, writes }: RedirectedFrame,
): EvaluatedCall {
  const name = node.name === undefined ? [] : expander.fields(node.name);
  const argv = [...name, ...node.args.flatMap((item) => toArgumentFields(item, expander))];
  const assigned = node.prefix.flatMap((item) => (item.type === 'Assignment' ? [item.name] : []));
  return { argv, frame, descriptors, writes, assigned, plain: false };
}

// With more alternatives than this, a function is called once for all of them.
const MAX_SEPARATE_CALLS = 4;

function toArgumentFields(item: CommandArgument, expander: WordExpander): readonly Field[] {
  if (item.type === 'Word') return expander.fields(item);
  const value = item.value.type === 'Word' ? expander.single(item.value) : UNKNOWN_FIELD;
  return [concatFields(toField(`${item.name}=`), value)];
}

/** Applies `declare x=…` from the syntax nodes, because arrays are not available as fields. */
function performDeclaration(node: Command, frame: EvaluationFrame, runner: Evaluator): void {
  const flags = node.args
    .flatMap((item) => (item.type === 'Word' && item.value.startsWith('-') ? [item.value] : []))
    .join('');
  const local = node.name?.value !== 'export' && !flags.includes('g');
  for (const item of node.args.filter((argument) => argument.type === 'Assignment')) {
    if (local) frame.state.locals.add(item.name);
    const letterCase = flags.includes('l') ? ',,' : '^^';
    if (/[lu]/.test(flags)) frame.state.set('variable', item.name, { options: [[]], letterCase });
    performAssignment(item, frame, runner);
    if (flags.includes('n')) setNameReference(item, frame);
  }
}

/** Applies `declare -n a=b`: `a` becomes a reference to `b`. */
function setNameReference({ name, value }: Assignment, { state }: EvaluationFrame): void {
  const variable = state.get('variable', name);
  if (variable !== undefined && value.type === 'Word')
    state.set('variable', name, { ...variable, target: value.value });
}
