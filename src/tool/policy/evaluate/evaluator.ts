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
import type { EvaluatedCall, EvaluationFrame, HandlerContext } from '../values/command-evaluation.ts';
import type { Field } from '../values/field.ts';
import { distinctFields } from '../values/field.ts';
import { ValueChoices } from '../values/value-choices.ts';
import { WordExpander } from '../values/word-expander.ts';
import type { Slice } from './script-slice.ts';

/** Everything that can stand where a command is run. */
export type RunnableNode = PipelineNode | AndOr | CompoundCommand | Redirected | CompoundList | Script;

/** The interpreter as the rules of the language see it. */
export interface Evaluator extends HandlerContext {
  readonly slice: Slice;
  run(node: RunnableNode, frame: EvaluationFrame): void;
  statements(list: readonly Statement[], frame: EvaluationFrame): void;
  /** Runs a script in a shell of its own; nobody listens to what it prints. */
  runScript(script: ParsedScript, frame: EvaluationFrame): void;
  /** Calls a function once for all the ways its words can turn out; `false` when it is no function. */
  performMerged(calls: readonly EvaluatedCall[]): boolean;
  /** Whether anything hangs on the words of a command of this name. */
  needsEvaluation(name: string | null, node: Command, frame: EvaluationFrame): boolean;
  /** A script that could not be read to its end. */
  unreadable(script: ParsedScript, frame: EvaluationFrame): void;
}

/** How many combinations of values are told apart. */
const MAX_COMBINATIONS = 16;
/** A list that one variable goes through may be longer. */
const MAX_SINGLE_VALUES = 1_024;

/** Evaluates something in every way it can turn out; if there are too many, once for all of them. */
export function evaluateCombinations<T>(
  { frame, evaluate, crowded = 'mixed' }: EvaluationInput<T>,
  runner: Evaluator,
): readonly T[] {
  const choices = new ValueChoices();
  const captured = new Map();
  const results: T[] = [];
  do {
    if (results.length >= (choices.single ? MAX_SINGLE_VALUES : MAX_COMBINATIONS))
      return [evaluate(new WordExpander({ machine: runner, frame, captured }, new ValueChoices(crowded)))];
    runner.budget.spend();
    results.push(evaluate(new WordExpander({ machine: runner, frame, captured }, choices)));
  } while (choices.advance());
  return results;
}

interface EvaluationInput<T> {
  readonly frame: EvaluationFrame;
  readonly evaluate: (expander: WordExpander) => T;
  /** What to do when there are too many ways. */
  readonly crowded?: 'mixed' | 'joined';
}

/** All the texts something may have. */
export function evaluateTexts(evaluating: EvaluationInput<Field>, runner: Evaluator): readonly Field[] {
  return distinctFields(evaluateCombinations(evaluating, runner), MAX_SINGLE_VALUES);
}

/** All the values a word that stays one may have. */
export function evaluateWord(word: Word, frame: EvaluationFrame, runner: Evaluator): readonly Field[] {
  return evaluateTexts({ frame, evaluate: (expander) => expander.single(word) }, runner);
}

/** Every field a word may become, in all its ways. */
export function evaluateFields(word: Word, frame: EvaluationFrame, runner: Evaluator): readonly Field[] {
  return evaluateCombinations({ frame, evaluate: (expander) => expander.fields(word) }, runner).flat();
}

/** A redirection with the descriptor it is about. */
export function toDescriptor(redirection: Redirection): number {
  if (redirection.descriptor?.type === 'FileDescriptor') return redirection.descriptor.value;
  if (redirection.descriptor !== undefined) return -1;
  const reads = redirection.operator.startsWith('<');
  return reads ? 0 : 1;
}
