import type {
  ArithmeticFor,
  Case,
  CaseItem,
  CompoundCommand,
  CompoundList,
  For,
  If,
  Select,
  Subshell,
  While,
} from 'unbash';
import type { Frame } from '../state/machine.ts';
import type { State } from '../state/state.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, UNKNOWN } from '../words/atom.ts';
import { matches, toPattern } from '../words/pattern.ts';
import { branch } from './list.ts';
import { narrow } from './narrow.ts';
import type { Runner } from './runner.ts';
import { everyField, everyText, everyValue } from './runner.ts';

function runIf(node: If, frame: Frame, runner: Runner): void {
  runner.run(node.clause, frame);
  // Conditions of later branches run too, and their effects are in force in what follows.
  for (const { clause } of node.elif) runMaybe({ lists: [clause], sure: false }, frame, runner);
  const lists = [node.then, ...node.elif.map(({ then }) => then)];
  if (node.else !== undefined) lists.push(node.else);
  runMaybe({ lists, sure: node.else !== undefined, condition: node.clause }, frame, runner);
}

interface Branches {
  readonly lists: readonly CompoundList[];
  /** Whether it is certainly one of them. */
  readonly sure: boolean;
  /** What holds in the first of them. */
  readonly condition?: CompoundList;
}

/** Runs one of several lists, nobody knows which. */
function runMaybe({ lists, sure, condition }: Branches, frame: Frame, runner: Runner): void {
  const forks = lists.map((list) => ({ list, state: frame.state.fork() }));
  if (forks[0] !== undefined) narrow(condition, forks[0].state);
  const runs = forks.map(
    ({ list, state }) =>
      () =>
        runner.run(list, { ...frame, state }),
  );
  branch(frame, sure ? runs : [...runs, () => undefined]);
  const states = forks.map(({ state }) => state);
  frame.state.join(sure ? states : [...states, frame.state.fork()]);
}

function runWhile(node: While, frame: Frame, runner: Runner): void {
  runner.run(node.clause, frame);
  loop({ body: node.body, again: node.clause }, frame, runner);
}

/** `for x in …` and `select`. */
function runFor(node: For | Select, frame: Frame, runner: Runner): void {
  const name = node.name.value;
  if (!runner.slice.needs(name)) {
    for (const word of node.wordlist ?? []) runner.visit(word, frame);
    loop({ body: node.body }, frame, runner);
    return;
  }
  const fields =
    node.wordlist === undefined
      ? (frame.state.positional?.flat() ?? [UNKNOWN])
      : node.wordlist.flatMap((word) => everyField(word, frame, runner));
  runner.budget.spend(fields.length);
  setLoopVariable(frame.state, name, fields);
  loop({ body: node.body }, frame, runner);
}

/** The loop variable takes each value in turn: however many there are, all are looked at. */
function setLoopVariable(state: State, name: string, fields: readonly Field[]): void {
  state.set('variable', name, { options: fields.length === 0 ? [UNKNOWN] : [...fields] });
}

interface Loop {
  readonly body: CompoundList;
  readonly again?: CompoundList;
}

/** Each pass sees what the one before has set; a value that goes through more names than this is not followed. */
const MAX_PASSES = 3;

function loop({ body, again }: Loop, frame: Frame, runner: Runner): void {
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const { revision, cwd } = frame.state;
    runMaybe({ lists: [body], sure: false }, frame, runner);
    if (frame.state.revision === revision) return;
    if (frame.state.cwd === cwd && !runner.loops.carryOver(body, again)) return;
    if (again !== undefined) runner.run(again, frame);
  }
}

function runCase(node: Case, frame: Frame, runner: Runner): void {
  const texts = everyValue(node.word, frame, runner).map(literalOf);
  const reached: CaseItem[] = [];
  for (const [index, item] of node.items.entries()) {
    const before = node.items[index - 1];
    const fallsThrough = before?.terminator === ';&' && reached.includes(before);
    if (fallsThrough || mayMatch({ item, texts, frame }, runner)) reached.push(item);
  }
  runMaybe({ lists: reached.map(({ body }) => body), sure: false }, frame, runner);
}

interface Matching {
  readonly item: CaseItem;
  readonly texts: readonly (string | null)[];
  readonly frame: Frame;
}

/** Only a known word and known patterns rule a branch out. */
function mayMatch({ item, texts, frame }: Matching, runner: Runner): boolean {
  for (const pattern of item.pattern) runner.visit(pattern, frame);
  if (texts.includes(null)) return true;
  return item.pattern.some((word) =>
    everyText({ frame, evaluate: (expander) => expander.pattern(word) }, runner).some((field) => {
      const pattern = toPattern(field);
      return pattern === null || texts.some((text) => matches(pattern, text ?? ''));
    }),
  );
}

/** Every compound command there is. */
export function runCompound(node: CompoundCommand, frame: Frame, runner: Runner): void {
  if (node.type === 'If') runIf(node, frame, runner);
  else if (node.type === 'While') runWhile(node, frame, runner);
  else if (node.type === 'For' || node.type === 'Select') runFor(node, frame, runner);
  else if (node.type === 'ArithmeticFor') runSteps(node, frame, runner);
  else if (node.type === 'Case') runCase(node, frame, runner);
  else if (node.type === 'BraceGroup') runner.run(node.body, frame);
  else if (node.type === 'Subshell') runSubshell(node, frame, runner);
  else runner.visit(node, frame);
}

function runSteps({ initialize, test, update, body }: ArithmeticFor, frame: Frame, runner: Runner): void {
  for (const part of [initialize, test, update]) if (part !== undefined) runner.visit(part, frame);
  loop({ body }, frame, runner);
}

function runSubshell({ body }: Subshell, frame: Frame, runner: Runner): void {
  const child = { ...frame, state: frame.state.fork() };
  runner.run(body, child);
  runner.finish(child);
}
