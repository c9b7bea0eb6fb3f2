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
  Word,
} from 'unbash';
import type { EvaluatedCall, EvaluationFrame, HandlerContext } from '../values/command-evaluation.ts';
import { distinctFields, type Field } from '../values/field.ts';
import { ValueChoices } from '../values/value-choices.ts';
import { WordExpander } from '../values/word-expander.ts';
import type { ScriptSlice } from './script-slice.ts';

/** A syntax node that can be run as a command. */
export type RunnableNode = PipelineNode | AndOr | CompoundCommand | Redirected | CompoundList | Script;

/** The interpreter interface used by the evaluation of syntax nodes. */
export interface Evaluator extends HandlerContext {
  readonly slice: ScriptSlice;
  run(node: RunnableNode, frame: EvaluationFrame): void;
  /** Evaluates a script in a subshell and ignores its output. */
  runScript(script: ParsedScript, frame: EvaluationFrame): void;
  /** Calls a function once for all alternatives of its arguments; `false` when the name is not a function. */
  performMerged(calls: readonly EvaluatedCall[]): boolean;
  /** Whether the words of a command with this name affect the result. */
  needsEvaluation(name: string | null, node: Command, frame: EvaluationFrame): boolean;
}

/** Maximum number of evaluated combinations. */
const MAX_COMBINATIONS = 16;
/** Maximum number of values when only one variable has alternatives. */
const MAX_SINGLE_VALUES = 1_024;

/** Evaluates an expression for each combination of alternatives; beyond the limit, once for all of them. */
export function evaluateCombinations<T>(
  { frame, evaluate, overLimit = 'mixed' }: EvaluationInput<T>,
  runner: Evaluator,
): readonly T[] {
  const choices = new ValueChoices();
  const captured = new Map();
  const results: T[] = [];
  do {
    if (results.length >= (choices.single ? MAX_SINGLE_VALUES : MAX_COMBINATIONS))
      return [evaluate(new WordExpander({ context: runner, frame, captured }, new ValueChoices(overLimit)))];
    runner.budget.spend();
    results.push(evaluate(new WordExpander({ context: runner, frame, captured }, choices)));
  } while (choices.advance());
  return results;
}

interface EvaluationInput<T> {
  readonly frame: EvaluationFrame;
  readonly evaluate: (expander: WordExpander) => T;
  /** How alternatives are combined beyond the limit. */
  readonly overLimit?: 'mixed' | 'joined';
}

/** Evaluates an expression to its distinct possible texts. */
export function evaluateTexts(evaluating: EvaluationInput<Field>, runner: Evaluator): readonly Field[] {
  return distinctFields(evaluateCombinations(evaluating, runner), MAX_SINGLE_VALUES);
}

/** Evaluates a word that is not split to its possible values. */
export function evaluateWord(word: Word, frame: EvaluationFrame, runner: Evaluator): readonly Field[] {
  return evaluateTexts({ frame, evaluate: (expander) => expander.single(word) }, runner);
}

/** Evaluates a word to all fields it may expand to. */
export function evaluateFields(word: Word, frame: EvaluationFrame, runner: Evaluator): readonly Field[] {
  return evaluateCombinations({ frame, evaluate: (expander) => expander.fields(word) }, runner).flat();
}

/** Returns the descriptor number of a redirection. */
export function toDescriptor(redirection: Redirection): number {
  if (redirection.descriptor?.type === 'FileDescriptor') return redirection.descriptor.value;
  if (redirection.descriptor !== undefined) return -1;
  const reads = redirection.operator.startsWith('<');
  return reads ? 0 : 1;
}
