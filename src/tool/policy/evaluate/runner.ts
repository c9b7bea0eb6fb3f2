import type {
  AndOr,
  Command,
  CompoundCommand,
  CompoundList,
  ParsedScript,
  PipelineNode,
  Redirected,
  Redirection,
  Script,
  Statement,
  Word,
} from 'unbash';
import { Expander } from '../expand/expand.ts';
import type { Slice } from '../slice/slice.ts';
import type { Call, Frame, Machine } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import { Choices } from '../words/choices.ts';
import { distinct } from '../words/join.ts';
import type { Loops } from './carried.ts';

/** Everything that can stand where a command is run. */
export type Runnable = PipelineNode | AndOr | CompoundCommand | Redirected | CompoundList | Script;

/** The interpreter as the rules of the language see it. */
export interface Runner extends Machine {
  readonly slice: Slice;
  readonly loops: Loops;
  run(node: Runnable, frame: Frame): void;
  statements(list: readonly Statement[], frame: Frame): void;
  /** Runs a script in a shell of its own; nobody listens to what it prints. */
  runScript(script: ParsedScript, frame: Frame): void;
  /** Calls a function once for all the ways its words can turn out; `false` when it is no function. */
  performMerged(calls: readonly Call[]): boolean;
  /** Whether anything hangs on the words of a command of this name. */
  matters(name: string | null, node: Command, frame: Frame): boolean;
  /** A script that could not be read to its end. */
  unreadable(script: ParsedScript, frame: Frame): void;
}

/** How many combinations of values are told apart. */
const MAX_WAYS = 16;
/** A list that one variable goes through may be longer. */
const MAX_SINGLE = 1_024;

/** Evaluates something in every way it can turn out; if there are too many, once for all of them. */
export function everyWay<T>(
  { frame, evaluate, crowded = 'mixed' }: Evaluating<T>,
  runner: Runner,
): readonly T[] {
  const choices = new Choices();
  const captured = new Map();
  const results: T[] = [];
  do {
    if (results.length >= (choices.single ? MAX_SINGLE : MAX_WAYS))
      return [evaluate(new Expander({ machine: runner, frame, captured }, new Choices(crowded)))];
    runner.budget.spend();
    results.push(evaluate(new Expander({ machine: runner, frame, captured }, choices)));
  } while (choices.advance());
  return results;
}

interface Evaluating<T> {
  readonly frame: Frame;
  readonly evaluate: (expander: Expander) => T;
  /** What to do when there are too many ways. */
  readonly crowded?: 'mixed' | 'joined';
}

/** All the texts something may have. */
export function everyText(evaluating: Evaluating<Field>, runner: Runner): readonly Field[] {
  return distinct(everyWay(evaluating, runner), MAX_SINGLE);
}

/** All the values a word that stays one may have. */
export function everyValue(word: Word, frame: Frame, runner: Runner): readonly Field[] {
  return everyText({ frame, evaluate: (expander) => expander.single(word) }, runner);
}

/** Every field a word may become, in all its ways. */
export function everyField(word: Word, frame: Frame, runner: Runner): readonly Field[] {
  return everyWay({ frame, evaluate: (expander) => expander.fields(word) }, runner).flat();
}

/** A redirection with the descriptor it is about. */
export function descriptorOf(redirection: Redirection): number {
  if (redirection.descriptor?.type === 'FileDescriptor') return redirection.descriptor.value;
  if (redirection.descriptor !== undefined) return -1;
  const reads = redirection.operator.startsWith('<');
  return reads ? 0 : 1;
}
