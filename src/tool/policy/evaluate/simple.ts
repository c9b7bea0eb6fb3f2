import type { Assignment, Command, CommandArgument } from 'unbash';
import type { Expander } from '../expand/expand.ts';
import { repairAssignment } from '../parse/repair-assignment.ts';
import type { Call, Frame } from '../state/machine.ts';
import type { Variable } from '../state/value.ts';
import { HANDLERS } from '../unwrap/handlers.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat, splitWords } from '../words/join.ts';
import { assign } from './assign.ts';
import { runCodeVariables } from './code-variable.ts';
import { branch } from './list.ts';
import type { Redirected } from './redirect.ts';
import { redirect } from './redirect.ts';
import type { Runner } from './runner.ts';
import { everyWay } from './runner.ts';

const DECLARES: ReadonlySet<string> = new Set(['declare', 'typeset', 'export', 'readonly', 'local']);

/** A simple command: assignments, redirections and words. */
export function runSimple(given: Command, outer: Frame, runner: Runner): void {
  runner.budget.spend();
  const node = repairAssignment(given);
  const frame = { ...outer, span: outer.place(node.pos, node.end) };
  const assignments = node.prefix.filter((item) => item.type === 'Assignment');
  const redirected = redirect(node.redirects, frame, runner);
  if (node.name === undefined) {
    for (const assignment of assignments) assign(assignment, frame, runner);
    runCodeVariables(
      assignments.map(({ name }) => name),
      frame,
      runner,
    );
    // `$(< file)` prints the file.
    if (node.redirects.length > 0) redirected.frame.output?.write(redirected.frame.stdin ?? [UNKNOWN]);
  } else withAssignments({ assignments, frame, run: () => runNamed(node, redirected, runner) }, runner);
  redirected.finish();
}

interface Assigning {
  readonly assignments: readonly Assignment[];
  readonly frame: Frame;
  readonly run: () => void;
}

/** Assignments before a command are in force while it runs. */
function withAssignments({ assignments, frame, run }: Assigning, runner: Runner): void {
  if (assignments.length === 0) {
    run();
    return;
  }
  const { state } = frame;
  const before = assignments.map(({ name }) => [name, state.get('variable', name)] as const);
  for (const assignment of assignments) assign(assignment, frame, runner);
  runCodeVariables(
    assignments.map(({ name }) => name),
    frame,
    runner,
  );
  run();
  for (const [name, variable] of before) restore(frame, name, variable);
}

function restore({ state }: Frame, name: string, variable: Variable | undefined): void {
  state.set('variable', name, variable ?? null);
}

function runNamed(node: Command, redirected: Redirected, runner: Runner): void {
  const { frame } = redirected;
  const name = node.name?.parts === undefined ? (node.name?.value ?? null) : null;
  if (!runner.matters(name, node, frame)) {
    runner.visit(node, frame);
    frame.output?.write([UNKNOWN]);
    return;
  }
  if (name !== null && DECLARES.has(name)) declare(node, frame, runner);
  const ways = everyWay({ frame, evaluate: (expander) => toCall(node, expander, redirected) }, runner);
  const calls = ways.flatMap(unmix);
  for (const { argv } of calls) runner.budget.spend(argv.length);
  performAll(calls, frame, runner);
}

/** Where a command can turn out in several ways, any of them may have happened afterwards. */
function performAll(calls: readonly Call[], frame: Frame, runner: Runner): void {
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) {
    runner.perform(only);
    return;
  }
  if (calls.length > MAX_APART && runner.performMerged(calls)) return;
  if (frame.output === undefined && calls.every((call) => leavesNothing(call))) {
    for (const call of calls) runner.perform(call);
    return;
  }
  const forked = calls.map((call) => ({ ...call, frame: { ...call.frame, state: frame.state.fork() } }));
  branch(
    frame,
    forked.map((call) => () => runner.perform(call)),
  );
  frame.state.join(forked.map((call) => call.frame.state));
}

/** Whether a command changes nothing in the shell that runs it, so that no way it turns out has to be kept apart. */
function leavesNothing({ argv, frame }: Call): boolean {
  const name = literalOf(argv[0]);
  if (
    name === null ||
    frame.state.get('function', name) !== undefined ||
    frame.state.get('alias', name) !== undefined
  )
    return false;
  return name === 'git'
    ? literalOf(argv[1])?.startsWith('-') === false && literalOf(argv[1]) !== 'config'
    : !HANDLERS.has(name);
}

/** Words that may be many are taken all at once; a name is taken one at a time. */
function unmix(call: Call): readonly Call[] {
  const [name, ...words] = call.argv;
  if (name === undefined || !call.argv.some(isMix)) return [call];
  const rest = words.flatMap((word) => (isMix(word) ? splitWords(word) : [word]));
  const names = isMix(name) ? splitWords(name) : [name];
  return names.map((word) => ({ ...call, argv: [word, ...rest] }));
}

function isMix([first]: Field): boolean {
  return first?.kind === 'mix';
}

function toCall(node: Command, expander: Expander, { frame, descriptors, writes }: Redirected): Call {
  const name = node.name === undefined ? [] : expander.fields(node.name);
  const argv = [...name, ...node.args.flatMap((item) => argument(item, expander))];
  const assigned = node.prefix.flatMap((item) => (item.type === 'Assignment' ? [item.name] : []));
  return { argv, frame, descriptors, writes, assigned, plain: false };
}

// More ways than this, and a function is called once for all of them.
const MAX_APART = 4;

function argument(item: CommandArgument, expander: Expander): readonly Field[] {
  if (item.type === 'Word') return expander.fields(item);
  const value = item.value.type === 'Word' ? expander.single(item.value) : UNKNOWN;
  return [concat(toField(`${item.name}=`), value)];
}

/** `declare x=…`: the words themselves say what is assigned, arrays included. */
function declare(node: Command, frame: Frame, runner: Runner): void {
  const flags = node.args
    .flatMap((item) => (item.type === 'Word' && item.value.startsWith('-') ? [item.value] : []))
    .join('');
  const local = node.name?.value !== 'export' && !flags.includes('g');
  for (const item of node.args.filter((argument) => argument.type === 'Assignment')) {
    if (local) frame.state.locals.add(item.name);
    const letters = flags.includes('l') ? 'lower' : 'upper';
    if (/[lu]/.test(flags)) frame.state.set('variable', item.name, { options: [[]], letters });
    assign(item, frame, runner);
    if (flags.includes('n')) refer(item, frame);
  }
}

/** `declare -n a=b`: a is another name for b. */
function refer({ name, value }: Assignment, { state }: Frame): void {
  const variable = state.get('variable', name);
  if (variable !== undefined && value.type === 'Word')
    state.set('variable', name, { ...variable, target: value.value });
}
